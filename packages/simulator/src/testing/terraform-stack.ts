import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";

/** The result of a Terraform command: exit code or signal, output, and the parsed JSON lines of the output. */
export interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly events: readonly TerraformEvent[];
}

/** One line of Terraform's `-json` output. */
export interface TerraformEvent {
  readonly type: string;
  readonly change?: { readonly action: string; readonly resource: { readonly addr: string } };
  readonly diagnostic?: {
    readonly severity: string;
    readonly summary: string;
    readonly detail: string;
    readonly address?: string;
  };
  readonly hook?: { readonly resource: { readonly addr: string } };
}

/** A directory with a Terraform configuration, and commands to run there. */
export interface TerraformStack {
  readonly directory: string;
  write(configuration: string): Promise<void>;
  run(...args: readonly string[]): Promise<Run>;
  /** Starts a command without waiting for it. As in a shell, the command runs in its own process group. */
  start(...args: readonly string[]): { readonly child: ChildProcess; readonly done: Promise<Run> };
  readState(): Promise<string>;
  remove(): Promise<void>;
}

/** Creates a stack. `settings` is the content of the CLI configuration; `environment` adds variables for Terraform and is read at each command. */
export async function createTerraformStack(
  program: string,
  {
    settings = "disable_checkpoint = true\n",
    environment = {},
  }: { settings?: string; environment?: Readonly<Record<string, string>> },
): Promise<TerraformStack> {
  const directory = await mkdtemp(join(tmpdir(), "stack-"));
  const config = join(directory, "cli.tfrc");
  const temporary = join(directory, "tmp");
  await mkdir(temporary);
  await writeFile(config, settings);
  // Commands must not depend on this machine's Terraform settings.
  const base = { PATH: processEnvironment["PATH"], HOME: directory, TMPDIR: temporary, TF_CLI_CONFIG_FILE: config };

  function start(...args: readonly string[]): { child: ChildProcess; done: Promise<Run> } {
    const env = { ...base, ...environment };
    const child = spawn(program, args, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    return { child, done: collect(child) };
  }

  return {
    directory,
    write: (configuration) => writeFile(join(directory, "main.tf"), configuration),
    run: (...args) => start(...args).done,
    start,
    readState: () => readFile(join(directory, "terraform.tfstate"), "utf8"),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

async function collect(child: ChildProcess): Promise<Run> {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  const output = Buffer.concat(chunks).toString("utf8");
  const events = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .flatMap(parseLine);
  return { code, output, events };
}

function parseLine(line: string): TerraformEvent[] {
  try {
    return [JSON.parse(line) as TerraformEvent];
  } catch {
    return [];
  }
}
