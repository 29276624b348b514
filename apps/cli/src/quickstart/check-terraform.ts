import { findTool } from "@cloudwright/platform";
import { Fault } from "@cloudwright/platform/fault";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cliFaults } from "../faults.ts";
import type { World } from "../world.ts";

/** Throws where the agent of this home would find no Terraform that it can use: on PATH, or in the home's cache. */
export function checkTerraform({ environment, home }: Pick<World, "environment" | "home">): void {
  if (environment["CLOUDWRIGHT_DEMO_HANDLERS"] === "1") return;
  const cache = join(home, "cache", "terraform");
  if (existsSync(cache) && readdirSync(cache).some(isUsable)) return;
  const path = findTool("terraform", environment);
  if (path === undefined) throw new Fault(cliFaults.no_terraform, "terraform is not on PATH; nothing was started");
  const version = readVersion(path, environment);
  if (!isUsable(version))
    throw new Fault(cliFaults.no_terraform, `${path} is ${version || "no Terraform that runs"}; nothing was started`);
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

/** 1.9 or newer, before 2. */
function isUsable(version: string): boolean {
  const [, minor] = /^1\.(\d+)\./.exec(version) ?? [];
  return Number(minor) >= 9;
}
