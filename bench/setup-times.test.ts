import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { clusterLimitMs, machineLimitMs, machinesProgram } from "./setup-times.ts";

test("M165 the benchmark measures each machine that it creates", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [machinesProgram, "2"]);
  const { took } = JSON.parse(stdout) as { readonly took: readonly number[] };
  expect(took).toHaveLength(2);
  expect(took.every((tookMs) => tookMs > 0)).toBe(true);
});

test("M165 the published page states the measured times and the limits that the benchmark uses", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "docs", "setup-times.md"), "utf8");
  const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const limits = {
    "managed cluster with 2 nodes, Terraform": clusterLimitMs,
    "managed cluster with 2 nodes, direct": clusterLimitMs,
    machine: machineLimitMs,
  };
  for (const [subject, limitMs] of Object.entries(limits)) {
    const [, , typical, fastest, slowest, limit] = rows.find(([, name]) => name === subject) ?? [];
    const [typicalS, fastestS, slowestS] = [typical, fastest, slowest].map((cell) => Number.parseFloat(cell ?? ""));
    expect(limit).toBe(`${limitMs / 1000} s`);
    expect(fastestS).toBeGreaterThan(0);
    expect(typicalS).toBeGreaterThanOrEqual(fastestS ?? Number.NaN);
    expect(slowestS).toBeGreaterThanOrEqual(typicalS ?? Number.NaN);
  }
});
