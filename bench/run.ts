/**
 * npm run bench [-- name ...] [--json] [--strict] [--write] [--profile directory]: all benchmarks, or those named by id or name. A missed
 * goal is shown and, with --strict, fails the run; --write puts the results of all into docs/benchmarks.md.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Benchmark, Measurement } from "./benchmark.ts";
import { cliStart } from "./cli-start.ts";
import { consoleStart } from "./console.ts";
import { fleet } from "./fleet.ts";
import { listPages } from "./list-pages.ts";
import { describeMachine } from "./machine.ts";
import { taskThroughput } from "./p3-tasks.ts";
import { leaseDelay } from "./p5-lease-delay.ts";
import { idleFleet } from "./p6-idle.ts";
import { quickstart } from "./quickstart.ts";
import { renderJson, renderPage, renderTable } from "./report.ts";
import { restCreateGet } from "./rest-create-get.ts";
import { simulatedClouds } from "./simulator.ts";
import { stateDoor } from "./state-endpoint.ts";
import { terraformRuns } from "./terraform-runs.ts";
import { watchExactness } from "./watch-exactness.ts";
import { watchFanOut } from "./watch-fan-out.ts";

const benchmarks: readonly Benchmark[] = [
  restCreateGet,
  watchFanOut,
  watchExactness,
  listPages,
  cliStart,
  consoleStart,
  taskThroughput,
  leaseDelay,
  idleFleet,
  fleet,
  stateDoor,
  terraformRuns,
  quickstart,
  simulatedClouds,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    profile: { type: "string" },
  },
});
const chosen = choose(positionals);
if (values.write && chosen.length < benchmarks.length) fail("--write shows the results of all benchmarks; name none");
if (values.profile !== undefined) mkdirSync(values.profile, { recursive: true });

const measured: Measurement[] = [];
for (const benchmark of chosen) {
  const found = await benchmark.run({ profileDirectory: values.profile, note: (line) => void process.stderr.write(`${line}\n`) });
  measured.push(...found);
  if (values.json) for (const measurement of found) console.log(renderJson(measurement));
}
if (!values.json) console.log(renderTable(measured));
if (values.write)
  writeFileSync(join(import.meta.dirname, "..", "docs", "benchmarks.md"), renderPage(measured, describeMachine()));
if (values.strict && measured.some(({ held }) => !held)) process.exitCode = 1;

function choose(names: readonly string[]): Benchmark[] {
  const isNamed = ({ id, name }: Benchmark, word: string): boolean =>
    name === word || `${id}-`.toLowerCase().startsWith(`${word}-`.toLowerCase());
  const unknown = names.filter((word) => !benchmarks.some((benchmark) => isNamed(benchmark, word)));
  const known = benchmarks.map(({ id, name }) => `${id} (${name})`).join(", ");
  if (unknown.length > 0) fail(`no such benchmark: ${unknown.join(", ")}; there are ${known}`);
  return benchmarks.filter((benchmark) => names.length === 0 || names.some((word) => isNamed(benchmark, word)));
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
