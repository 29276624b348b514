import { findTool } from "@cloudwright/platform";
import { Fault } from "@cloudwright/platform/fault";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cliFaults } from "../faults.ts";
import type { World } from "../world.ts";
import { findClone } from "./find-clone.ts";

type Here = Pick<World, "environment" | "home">;

/**
 * Ensures that a usable Terraform is on PATH or in the cache of the home directory. If there is none, downloads and verifies an official
 * release. Throws if the download or the verification fails.
 */
export function ensureTerraform(here: Here, note: (line: string) => void): void {
  const problem = findProblem(here);
  if (problem === undefined) return;
  note(`${problem}; downloading Terraform`);
  const { node, agent } = findClone();
  const env = { ...here.environment, CLOUDWRIGHT_HOME: here.home };
  const { status, stderr } = spawnSync(node, [agent, "fetch-terraform"], { encoding: "utf8", env });
  if (status === 0 && findProblem(here) === undefined) return;
  const why = /^cloudwright-agent cannot start: (.*)$/m.exec(stderr)?.[1] ?? "no reason was given";
  throw new Fault(cliFaults.no_terraform, `${problem}, and the download failed: ${why}; nothing was started`);
}

function findProblem({ environment, home }: Here): string | undefined {
  if (environment["CLOUDWRIGHT_DEMO_HANDLERS"] === "1") return undefined;
  const cache = join(home, "cache", "terraform");
  if (existsSync(cache) && readdirSync(cache).some(isUsable)) return undefined;
  const path = findTool("terraform", environment);
  if (path === undefined) return "terraform is not on PATH";
  const version = readVersion(path, environment);
  if (version === "") return `${path} is not a working Terraform executable`;
  return isUsable(version) ? undefined : `Terraform ${version} at ${path} is not supported`;
}

function readVersion(path: string, environment: World["environment"]): string {
  const { stdout } = spawnSync(path, ["version", "-json"], {
    encoding: "utf8",
    env: { ...environment, CHECKPOINT_DISABLE: "1" },
  });
  try {
    return (JSON.parse(stdout) as { terraform_version: string }).terraform_version;
  } catch {
    return "";
  }
}

/** Returns whether a version is at least 1.9 and below 2.0. */
function isUsable(version: string): boolean {
  const [, minor] = /^1\.(\d+)\./.exec(version) ?? [];
  return Number(minor) >= 9;
}
