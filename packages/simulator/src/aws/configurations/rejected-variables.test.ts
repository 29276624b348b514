import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import { expect, onTestFinished, test } from "vitest";
import { infra, terraform } from "../../testing/open-configuration.ts";
import {
  badClusters,
  badCurrentClusters,
  badLaterNetworks,
  badNetworks,
  badProtectedStorages,
  badStorages,
  type VariableCases,
} from "./variable-cases.ts";

/** Runs all cases in one `terraform test` on the variables file alone, so no provider is needed. */
function listWrong(place: string, { base, rejected, accepted }: VariableCases): unknown[] {
  const folder = mkdtempSync(join(tmpdir(), "variables-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
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
  expect(ends).toHaveLength(runs.length);
  const all = [...rejected, ...accepted];
  return ends.filter(({ status }) => status !== "pass").map(({ run, status }) => [status, all[Number(run.slice(4))]]);
}

interface Said {
  readonly test_run?: { readonly run: string; readonly status: string; readonly progress?: string };
}

test.skipIf(!terraform.found).each([
  ["network/aws/v1.0.0", badNetworks],
  ["network/aws/v1.1.0", badNetworks],
  ["network/aws/v1.1.0", badLaterNetworks],
  ["kubernetes/aws/v1.0.0", badClusters],
  ["kubernetes/aws/v1.1.0", badCurrentClusters],
  ["storage/aws/v1.0.0", badStorages],
  ["storage/aws/v1.1.0", badStorages],
  ["storage/aws/v1.2.0", badStorages],
  ["storage/aws/v1.2.0", badProtectedStorages],
])("M063 %s rejects values that AWS would reject, and names the variable before any expression fails", (place, cases) => {
  expect(listWrong(place, cases)).toEqual([]);
});
