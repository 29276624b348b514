/**
 * npm run test:faults [-- --minutes N] [--seed S] [--setup embedded|replicas] [--provisionings N] [--kills N|all] [--keep]
 *
 * Injects faults for N minutes in each set-up while entities are provisioned. Checks that no work was lost, ran twice at the same time or
 * left resources behind. Then kills processes at N random cells of the kill matrix, or at all of them, which takes hours. `--kills 0` skips
 * this part. The same seed produces the same faults and cells. The last line of output is a JSON object with counts. The exit code is 0 only
 * if no violation was found.
 */
import { requireTool } from "@cloudwright/platform";
import { parseArgs } from "node:util";
import { runKills, type KillsReport } from "../kill-matrix/run-kills.ts";
import { openEmbeddedPlatform } from "./embedded-platform.ts";
import { openReplicatedPlatform } from "./replicated-platform.ts";
import { runSetup, type SetupReport } from "./run-setup.ts";
import { findDiskObstacle } from "./small-disk.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    setup: { type: "string" },
    provisionings: { type: "string", default: "200" },
    kills: { type: "string", default: "6" },
    keep: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const provisionings = Number(values.provisionings);
const kills = values.kills === "all" ? "all" : Number(values.kills);
const platforms = { embedded: openEmbeddedPlatform, replicas: openReplicatedPlatform };
const setups = values.setup === undefined ? (["embedded", "replicas"] as const) : [values.setup as keyof typeof platforms];
if (!(minutes > 0 && minutes <= 10)) refuse("--minutes is a number up to 10");
if (!Number.isSafeInteger(seed) || seed < 0) refuse("--seed is a whole number");
if (!Number.isSafeInteger(provisionings) || provisionings < 1) refuse("--provisionings is a whole number");
if (kills !== "all" && (!Number.isSafeInteger(kills) || kills < 0)) refuse("--kills is a whole number or all");
if (!setups.every((setup) => setup in platforms)) refuse("--setup is embedded or replicas");

const obstacle = findDiskObstacle();
if (obstacle !== undefined) note(`skipped full disks, because this machine cannot mount a small one: ${obstacle}`);
// Each set-up mostly waits, so they run in parallel.
const reports = await Promise.all(setups.map(async (setup) => ({ setup, report: await put(setup) })));
const matrix = await runMatrix();
const held = reports.every(({ report }) => report.broken.length === 0) && matrix.broken.length === 0;
const counts = Object.fromEntries(reports.map(({ setup, report }) => [setup, report.counts]));
const killCounts = { kills: { held: matrix.held, broken: matrix.broken.length } };
console.log(JSON.stringify({ seed, minutes, held, ...counts, ...killCounts }));
process.exit(held ? 0 : 1);

async function put(setup: keyof typeof platforms): Promise<SetupReport> {
  note(`${setup}: seed ${seed}, ${minutes} minutes`);
  const platform = await platforms[setup]({ smallDisk: obstacle === undefined });
  const options = { seed, withinMs: minutes * 60_000, provisionings, note: (line: string) => note(`${setup}: ${line}`) };
  const report = await runSetup(platform, options);
  for (const line of report.broken) note(`${setup}: BROKEN: ${line}`);
  if (report.broken.length === 0 && !values.keep) await platform.remove();
  else note(`${setup}: all files are kept in ${platform.directory}`);
  return report;
}

async function runMatrix(): Promise<KillsReport> {
  const tool = requireTool("terraform");
  if (!tool.found) note(`skipped the kill matrix: ${tool.reason}`);
  if (!tool.found || kills === 0) return { held: 0, broken: [] };
  return runKills({ seed, cells: kills, note: (line) => note(`kills: ${line}`) });
}

function note(line: string): void {
  process.stderr.write(`${(performance.now() / 1000).toFixed(1).padStart(6)} s ${line}\n`);
}

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}
