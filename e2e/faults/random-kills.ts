/**
 * npm run test:kills [-- --minutes N] [--networks N] [--seed S]
 *
 * Builds networks with clusters in one simulated account. For N minutes (default 10, with 40 networks), kills Terraform, the agent and the
 * control plane at random times. Afterwards, every entity must reach RUNNING without help, and deleting all entities must leave the account
 * empty. The last line of output is a JSON object with counts. The exit code is 0 only if all checks passed.
 */
import { requireTool, systemClock } from "@cloudwright/platform";
import { parseArgs } from "node:util";
import { openBoundaryPlatform } from "../kill-matrix/boundary-platform.ts";
import { victims } from "../kill-matrix/kill-cases.ts";
import { createRandom } from "./random.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    networks: { type: "string", default: "40" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
  },
});
const [minutes, networks, seed] = [Number(values.minutes), Number(values.networks), Number(values.seed)];
if (!(minutes > 0)) refuse("--minutes is a number above 0");
if (!Number.isSafeInteger(networks) || networks < 1) refuse("--networks is a whole number above 0");
if (!Number.isSafeInteger(seed) || seed < 0) refuse("--seed is a whole number");
const tool = requireTool("terraform");
if (!tool.found) refuse(tool.reason);

const random = createRandom(seed);
note(`seed ${seed}, ${minutes} minutes, ${networks} networks with clusters`);
const platform = await openBoundaryPlatform();
const kills: Record<string, number> = { terraform: 0, agent: 0, "control plane": 0 };
const broken: string[] = [];
const names = Array.from({ length: networks }, (_, nth) => `net-${nth + 1}`);
for (const name of names) {
  const zones = ["a", "b", "c"].slice(0, random.whole(2, 3));
  const infra = { version: random.pick(["v0.1.0", "v1.0.0"]) };
  await platform.create("networks", name, { account: "sim", region: "eu-west-1", zones, nat: "single", infra });
  await platform.create("clusters", name, { network: name, workers: 1, version: "1.33", infra: { version: infra.version } });
}
note("all networks and clusters are requested");

const endMs = performance.now() + minutes * 60_000;
while (performance.now() < endMs) {
  await systemClock.sleep(random.whole(200, 6000));
  // The control plane takes seconds to start, so it is killed less often.
  const victim = random.chance(0.1) ? "control plane" : random.pick(victims.slice(0, 2));
  if (await platform.kill(victim)) kills[victim] = (kills[victim] ?? 0) + 1;
  await platform.restart();
}
note(`killed ${JSON.stringify(kills)}; waiting until everything runs`);
for (const name of names) {
  for (const collection of ["networks", "clusters"])
    await platform.waitUntilRunning(collection, name).catch((error: unknown) => void broken.push(String(error)));
}
note(`${broken.length} entities do not run; deleting everything`);
for (const name of names) await platform.delete("networks", name);
for (const name of names)
  await platform.waitUntilGone("networks", name).catch((error: unknown) => void broken.push(String(error)));
const left = await platform.cloud.list();
broken.push(...left.map(({ type, id }) => `left in the account: ${type} ${id}`));
for (const line of broken) note(`BROKEN: ${line}`);
await platform.stop();
console.log(
  JSON.stringify({ seed, minutes, networks, held: broken.length === 0, kills, left: left.length, broken: broken.length }),
);
process.exit(broken.length === 0 ? 0 : 1);

function note(line: string): void {
  process.stderr.write(`${(performance.now() / 1000).toFixed(1).padStart(6)} s ${line}\n`);
}

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}
