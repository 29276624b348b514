import { processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { waitUntil } from "../wait-until.ts";

/** A running provider, and the environment variable that makes Terraform use it. */
export interface RunningProvider {
  readonly environment: { readonly TF_REATTACH_PROVIDERS: string };
  close(): Promise<void>;
}

/** Describes where a provider is stored and how to start it. */
export interface ProviderStart {
  readonly mirror: string;
  /** Name of the provider, for example `google`. */
  readonly name: string;
  /** Home folder of the provider. Contains its socket. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Starts one provider process for several Terraform commands. By default, Terraform starts the provider several times per command, and a
 * large provider takes seconds to start.
 */
export async function startProvider({ mirror, name, directory, environment }: ProviderStart): Promise<RunningProvider> {
  const child = spawn(findProgram(mirror, name), [name === "azurerm" ? "-debuggable" : "-debug"], {
    // Like Terraform itself, the provider must not depend on this machine's settings.
    env: { PATH: processEnvironment["PATH"], HOME: directory, TMPDIR: directory, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log = (log + chunk.toString()).slice(-10_000)));
  const find = (): string | undefined => /TF_REATTACH_PROVIDERS='(.*)'/.exec(printed)?.[1];
  await waitUntil(`the provider ${name} listens`, () => find() !== undefined || child.exitCode !== null);
  const reattach = find();
  if (reattach === undefined) throw new Error(`the provider ${name} exited: ${log}`);
  return {
    environment: { TF_REATTACH_PROVIDERS: reattach },
    async close() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Returns the path of the newest version of a provider in the mirror. */
function findProgram(mirror: string, name: string): string {
  const versions = join(mirror, "registry.terraform.io/hashicorp", name);
  const [newest = ""] = readdirSync(versions).toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }));
  const folder = join(versions, newest, "linux_amd64");
  return join(folder, readdirSync(folder).find((file) => file.startsWith("terraform-provider-")) ?? "");
}
