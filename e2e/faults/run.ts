import { requireTool } from "@cloudwright/platform";
import { parseArgs } from "node:util";
import { runKills, type KillsReport } from "../kill-matrix/run-kills.ts";
import { openEmbeddedPlatform } from "./embedded-platform.ts";
import { openReplicatedPlatform } from "./replicated-platform.ts";
import { runSetup, type SetupReport } from "./run-setup.ts";
import { findDiskObstacle } from "./small-disk.ts";
import { runStarvation, type StarvationReport } from "./starvation/run-starvation.ts";

/** npm run test:faults. See `usage`. */
const usage = `Usage: npm run test:faults -- [options]

Runs three parts against real servers. Exits with 0 only if no part found a violation.
  faults      injects faults for some minutes while entities are provisioned; no work may be lost, run twice at once or leave resources
  starvation  one tenant attacks the server while another one creates clusters; the other one must be served, no agent may lose a lease,
              and no connection, memory or entity may be left
  kills       kills Terraform, the agent or the control plane at random resource boundaries; the entity must recover or be deleted

Options:
  --minutes N        duration of the faults in each set-up, up to 10 (default 2); 0 skips this part
  --setup NAME       embedded or replicas (default: both)
  --provisionings N  number of entities to provision (default 200)
  --starvation N     rounds of the starvation part (default 3); each round combines attacks; 0 skips this part
  --kills N|all      number of random cells of the kill matrix (default 6); all takes hours; 0 skips this part
  --seed S           the same seed plans the same faults, attacks and kills (default: random, printed)
  --keep             keep all files
  --help             print this text

The last line of output is a JSON object with counts and "held".`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    setup: { type: "string" },
    provisionings: { type: "string", default: "200" },
    starvation: { type: "string", default: "3" },
    kills: { type: "string", default: "6" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const provisionings = Number(values.provisionings);
const rounds = Number(values.starvation);
const kills = values.kills === "all" ? "all" : Number(values.kills);
const platforms = { embedded: openEmbeddedPlatform, replicas: openReplicatedPlatform };
const setups = values.setup === undefined ? (["embedded", "replicas"] as const) : [values.setup as keyof typeof platforms];
if (!(minutes >= 0 && minutes <= 10)) refuse("--minutes must be a number from 0 to 10");
if (!Number.isSafeInteger(rounds) || rounds < 0) refuse("--starvation must be a whole number");
if (!Number.isSafeInteger(seed) || seed < 0) refuse("--seed must be a whole number");
if (!Number.isSafeInteger(provisionings) || provisionings < 1) refuse("--provisionings must be a whole number");
if (kills !== "all" && (!Number.isSafeInteger(kills) || kills < 0)) refuse("--kills must be a whole number or all");
if (!setups.every((setup) => setup in platforms)) refuse("--setup must be embedded or replicas");

const obstacle = findDiskObstacle();
if (obstacle !== undefined) note(`skipped full disks, because this machine cannot mount a small one: ${obstacle}`);
// The set-ups spend most of their time waiting, so they run in parallel.
const reports = await Promise.all((minutes === 0 ? [] : setups).map(async (setup) => ({ setup, report: await put(setup) })));
const starvation = await runAttacks();
const matrix = await runMatrix();
const all = [...reports.map(({ report }) => report), starvation, matrix];
const held = all.every(({ broken }) => broken.length === 0);
const counts = Object.fromEntries(reports.map(({ setup, report }) => [setup, report.counts]));
const killCounts = { kills: { held: matrix.held, broken: matrix.broken.length } };
console.log(JSON.stringify({ seed, minutes, held, ...counts, starvation: starvation.counts, ...killCounts }));
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

async function runAttacks(): Promise<StarvationReport> {
  if (rounds === 0) return { counts: {}, broken: [] };
  return runStarvation({ seed, rounds, keep: values.keep, note: (line) => note(`starvation: ${line}`) });
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
