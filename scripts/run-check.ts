import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import type { Check } from "./checks.ts";

export interface CheckResult {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs a guard on the tree at `root`. */
export function runCheck({ command: [program, ...args] }: Check, root: string): CheckResult {
  const path = `${join(import.meta.dirname, "..", "node_modules", ".bin")}${delimiter}${processEnvironment["PATH"] ?? ""}`;
  const result = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...processEnvironment, PATH: path, NO_COLOR: "1" },
  });
  if (result.error !== undefined) return { ok: false, output: result.error.message };
  return { ok: result.status === 0, output: `${result.stdout}${result.stderr}`.trim() };
}
