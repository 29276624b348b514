import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import { infra, terraform } from "./open-configuration.ts";

/** Test cases for a configuration's variables: values that a given variable must reject, and values that it must accept. */
export interface VariableCases {
  readonly base: object;
  readonly rejected: readonly (readonly [variable: string, change: object])[];
  readonly accepted: readonly object[];
}

/**
 * Runs all cases in one `terraform test` on the variables file alone, so no provider is needed. Returns the cases whose result differs from
 * the expected one.
 */
export function listWrongVariables(place: string, { base, rejected, accepted }: VariableCases): unknown[] {
  const folder = mkdtempSync(join(tmpdir(), "variables-"));
  try {
    copyFileSync(join(infra, place, "variables.tf"), join(folder, "variables.tf"));
    const runs = [
      ...rejected.map(([variable, change]) => ({ variables: { ...base, ...change }, expect_failures: [`var.${variable}`] })),
      ...accepted.map((change) => ({ variables: { ...base, ...change } })),
    ].map((run, index) => [`run_${index}`, { command: "plan", ...run }] as const);
    writeFileSync(join(folder, "cases.tftest.json"), JSON.stringify({ run: Object.fromEntries(runs) }));
    const path = terraform.found ? terraform.path : "";
    const env = { PATH: processEnvironment["PATH"] ?? "", TF_CLI_CONFIG_FILE: join(folder, "none.tfrc") };
    writeFileSync(env.TF_CLI_CONFIG_FILE, "");
    spawnSync(path, ["init", "-backend=false"], { cwd: folder, env });
    const { stdout } = spawnSync(path, ["test", "-json"], { cwd: folder, env, encoding: "utf8", maxBuffer: 2 ** 24 });
    const said = stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Said] : []));
    const ends = said.flatMap(({ test_run: run }) => (run?.progress === "complete" ? [run] : []));
    const all = [...rejected, ...accepted];
    const wrong = ends.filter(({ status }) => status !== "pass").map(({ run, status }) => [status, all[Number(run.slice(4))]]);
    return ends.length === runs.length ? wrong : [...wrong, `${ends.length} of ${runs.length} cases ran`];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Said {
  readonly test_run?: { readonly run: string; readonly status: string; readonly progress?: string };
}
