/**
 * npm run bench [-- name ...] [--json] [--strict] [--write [--force]] [--profile directory]
 *
 * Runs all benchmarks, or those selected by id or name. The report marks missed goals. With --strict, a missed goal fails the run. A
 * benchmark with a stale anchor always fails the run and does not report a number. --write stores the results of all benchmarks in
 * docs/benchmarks.md. On a busy machine, --write also requires --force.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { StaleAnchorError, type Benchmark, type Measurement } from "./benchmark.ts";
import { adoption } from "./adoption.ts";
import { cliStart } from "./cli-start.ts";
import { consoleStart } from "./console.ts";
import { fleet } from "./fleet.ts";
import { hostAttach, hostCreate, hostMany, hostRules } from "./hosts.ts";
import { listPages } from "./list-pages.ts";
import { describeMachine } from "./machine.ts";
import { taskThroughput } from "./p3-tasks.ts";
import { leaseDelay } from "./p5-lease-delay.ts";
import { idleFleet } from "./p6-idle.ts";
import { quickstart } from "./quickstart.ts";
import { renderJson, renderPage, renderTable } from "./report.ts";
import { restCreateGet } from "./rest-create-get.ts";
import { setupTimes } from "./setup-times.ts";
import { simulatedClouds } from "./simulator.ts";
import { starvation } from "./starvation.ts";
import { stateEndpoint } from "./state-endpoint.ts";
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
  stateEndpoint,
  starvation,
  terraformRuns,
  adoption,
  quickstart,
  simulatedClouds,
  setupTimes,
  hostCreate,
  hostMany,
  hostAttach,
  hostRules,
];

/** Results are written only if the one-minute load average does not exceed this value. */
const mostLoad = 0.5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    force: { type: "boolean", default: false },
    profile: { type: "string" },
  },
});
const chosen = choose(positionals);
// Must be read before the benchmarks start, because they raise the load average themselves.
const machine = describeMachine();
if (values.write && chosen.length < benchmarks.length)
  fail("--write requires the results of all benchmarks; do not select individual ones");
if (values.write && !values.force && machine.load >= mostLoad)
  fail(
    `the machine is busy: its load is ${machine.load.toFixed(2)}, and --write requires less than ${mostLoad}. Wait until it is idle, or add --force`,
  );
if (values.profile !== undefined) mkdirSync(values.profile, { recursive: true });

const measured: Measurement[] = [];
const stale: string[] = [];
for (const benchmark of chosen) {
  const found = await runBenchmark(benchmark);
  measured.push(...found);
  if (values.json) for (const measurement of found) console.log(renderJson(measurement));
}
if (!values.json) console.log(renderTable(measured));
for (const message of stale) console.error(message);
if (values.write && stale.length === 0)
  writeFileSync(join(import.meta.dirname, "..", "docs", "benchmarks.md"), renderPage(measured, machine));
if (stale.length > 0 || (values.strict && measured.some(({ held }) => !held))) process.exitCode = 1;

async function runBenchmark(benchmark: Benchmark): Promise<Measurement[]> {
  try {
    return await benchmark.run({ profileDirectory: values.profile, note: (line) => void process.stderr.write(`${line}\n`) });
  } catch (error) {
    if (!(error instanceof StaleAnchorError)) throw error;
    stale.push(`${benchmark.id} FAILED: ${error.message}`);
    return [];
  }
}

function choose(names: readonly string[]): Benchmark[] {
  const isNamed = ({ id, name }: Benchmark, word: string): boolean =>
    name === word || `${id}-`.toLowerCase().startsWith(`${word}-`.toLowerCase());
  const unknown = names.filter((word) => !benchmarks.some((benchmark) => isNamed(benchmark, word)));
  const known = benchmarks.map(({ id, name }) => `${id} (${name})`).join(", ");
  if (unknown.length > 0) fail(`no such benchmark: ${unknown.join(", ")}; available: ${known}`);
  return benchmarks.filter((benchmark) => names.length === 0 || names.some((word) => isNamed(benchmark, word)));
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
