/**
 * npm run test:kills [-- --minutes N] [--networks N] [--seed S] [--keep]
 *
 * Builds networks with clusters in one simulated account. For N minutes (default 10, with 40 networks), kills Terraform, the agent and the
 * control plane at random times. Meanwhile, entities are changed, deleted and created again, often directly after a kill. Afterwards,
 * every entity must reach RUNNING without intervention. Then all entities are deleted, with further kills for a fifth of that time. The
 * account must be empty afterwards. The last line of output is a JSON object with counts. The exit code is 0 only if all checks passed.
 */
import { requireTool, systemClock } from "@cloudwright/platform";
import { parseArgs } from "node:util";
import { openBoundaryPlatform } from "../kill-matrix/boundary-platform.ts";
import type { Victim } from "../kill-matrix/kill-cases.ts";
import { planKill, planKillTrees, planUpdate, type KillAct, type KillTree } from "./plan-kills.ts";
import { createRandom } from "@cloudwright/platform/testing";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    networks: { type: "string", default: "40" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const usage = `npm run test:kills -- [--minutes N] [--networks N] [--seed S] [--keep]
  --minutes N   how long processes are killed while entities are built (default: 10)
  --networks N  number of networks with clusters (default: 40)
  --seed S      repeats the choices of another run
  --keep        keep all files of the platform, also if everything held`;
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const [minutes, networks, seed] = [Number(values.minutes), Number(values.networks), Number(values.seed)];
if (!(minutes > 0)) refuse("--minutes must be a number greater than 0");
if (!Number.isSafeInteger(networks) || networks < 1) refuse("--networks must be a whole number greater than 0");
if (!Number.isSafeInteger(seed) || seed < 0) refuse("--seed must be a whole number");
const tool = requireTool("terraform");
if (!tool.found) refuse(tool.reason);

/** Longer than ten minutes, which is the longest pause before a failed task is requested again. */
const patienceMs = 900_000;
const random = createRandom(seed);
note(`seed ${seed}, ${minutes} minutes, ${networks} networks with clusters`);
const platform = await openBoundaryPlatform({ random, patienceMs });
const counts = { kills: { terraform: 0, agent: 0, "control plane": 0 }, updates: 0, deletions: 0, recreated: 0 };
const broken: string[] = [];
const trees = planKillTrees(random, networks);
const deleted = new Set<KillTree>();
for (const tree of trees) await create(tree);
note("all entities are requested");

await killFor(minutes * 60_000, changeAfterKill);
note(`${JSON.stringify(counts)}; waiting until everything is running`);
for (const tree of deleted) {
  await attempt(platform.waitUntilGone("networks", tree.name));
  await create(tree);
}
for (const tree of trees)
  for (const [collection] of listSpecs(tree)) await attempt(platform.waitUntilRunning(collection, tree.name));
note(`${broken.length} entities are not running; deleting everything`);
for (const { name } of trees) await platform.delete("networks", name);
await killFor(minutes * 12_000, async () => undefined);
note(`${JSON.stringify(counts)}; waiting until everything is deleted`);
for (const { name } of trees) await attempt(platform.waitUntilGone("networks", name));
const left = await platform.cloud.list();
broken.push(...left.map(({ type, id }) => `left in the account: ${type} ${id}`));
for (const line of broken) note(`BROKEN: ${line}`);
const keeps = values.keep || broken.length > 0;
await platform.stop({ keep: keeps });
if (keeps) note(`all files are kept in ${platform.home}`);
console.log(
  JSON.stringify({ seed, minutes, networks, held: broken.length === 0, ...counts, left: left.length, broken: broken.length }),
);
process.exit(broken.length === 0 ? 0 : 1);

async function killFor(durationMs: number, afterKill: (act: KillAct) => Promise<void>): Promise<void> {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const { pauseMs, victims, downMs, act, waitMs, speed } = planKill(random);
    if (speed !== undefined) await platform.setSpeed(speed);
    await systemClock.sleep(pauseMs);
    for (const victim of victims) if (await killWithin(waitMs, victim)) counts.kills[victim] += 1;
    if (victims.includes("control plane")) await systemClock.sleep(downMs);
    await platform.restart();
    await afterKill(act);
  }
}

async function killWithin(waitMs: number, victim: Victim): Promise<boolean> {
  const endMs = performance.now() + waitMs;
  while (!(await platform.kill(victim))) {
    if (performance.now() > endMs) return false;
    await systemClock.sleep(random.whole(20, 500));
  }
  return true;
}

async function changeAfterKill(act: KillAct): Promise<void> {
  for (const tree of deleted) {
    if ((await platform.find("networks", tree.name)) !== undefined) continue;
    deleted.delete(tree);
    counts.recreated += 1;
    await create(tree);
  }
  const tree = random.pick(trees);
  if (deleted.has(tree) || act === "none") return;
  if (act === "update") {
    const [collection, spec] = planUpdate(random, tree);
    await platform.update(collection, tree.name, spec);
    counts.updates += 1;
  } else {
    await platform.delete("networks", tree.name);
    deleted.add(tree);
    counts.deletions += 1;
  }
}

async function create(tree: KillTree): Promise<void> {
  for (const [collection, spec] of listSpecs(tree)) await platform.create(collection, tree.name, spec);
}

function listSpecs({ network, cluster, storage }: KillTree): [string, KillTree["network"]][] {
  return [
    ["networks", network],
    ...(cluster === undefined ? [] : [["clusters", cluster] satisfies [string, unknown]]),
    ...(storage === undefined ? [] : [["storages", storage] satisfies [string, unknown]]),
  ];
}

async function attempt(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => void broken.push(String(error)));
}

function note(line: string): void {
  process.stderr.write(`${(performance.now() / 1000).toFixed(1).padStart(6)} s ${line}\n`);
}

function refuse(message: string): never {
  console.error(`${message}\n${usage}`);
  process.exit(2);
}
