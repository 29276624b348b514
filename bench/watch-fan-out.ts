import { systemClock } from "@cloudwright/platform";
import { join } from "node:path";
import type { Benchmark, BenchmarkRun, Measurement } from "./benchmark.ts";
import { openAudience } from "./load/audience.ts";
import { clusterInput } from "./load/cluster-inputs.ts";
import { expectStatus, openConnection, type Connection } from "./load/connection.ts";
import { createNetwork } from "./load/network.ts";
import { openBenchPlatform, type BenchPlatform } from "./processes/bench-platform.ts";
import { compareRounds, interleave } from "./statistics.ts";

const path = "/v1/projects/default/clusters";
const watchers = 200;
const events = 100;
const rounds = 7;
const limitMicros = 10;
/** What a delivery may cost, compared with a server that does nothing but write. */
const bareGoal = 1.5;
const bareServer = join(import.meta.dirname, "anchors", "bare-sse.ts");

/** Benchmark P9 measures the cost of delivering events to many watchers. */
export const watchFanOut: Benchmark = {
  id: "P9",
  name: "watch-fan-out",
  async run(run) {
    await using platform = await openBenchPlatform(run);
    await createNetwork(platform, "main");
    const grouped = await measureGrouped(run, platform);
    const bare = { server: await platform.startBeside("bare-sse", bareServer), adminKey: platform.adminKey };
    return [grouped, await measureSingle(run, platform, bare)];
  },
};

/** Measures deliveries of events from several concurrent writers, which often share a packet. The anchor is a limit. */
async function measureGrouped({ note }: BenchmarkRun, platform: Server): Promise<Measurement> {
  const writers = 4;
  const write = createWriters(platform, writers, (nth) => clusterInput(`w-${nth}`, "main"));
  const measured = await interleave(
    { rounds, warmUp: 1 },
    () =>
      withAudience(platform, write, async (delivered) => {
        await write.all();
        await delivered(events);
      }),
    () => timeCpu(platform, () => write.all()),
  );
  write.close();
  const perDelivery = measured.map((round) => ({ ours: (round.ours - round.anchor) / (watchers * events), anchor: limitMicros }));
  for (const { ours } of perDelivery) note(`P9 ${ours.toFixed(2)} µs with ${writers} writers`);
  const { ratio, lowest, highest, ...medians } = compareRounds(perDelivery);
  const how =
    `CPU time of the server process for ${events} creates by ${writers} concurrent writers, the difference between ${watchers} SSE watchers and none, per delivery; ` +
    `${rounds} alternating rounds (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)}); clients in another process`;
  const what = `${watchers} watchers x ${events} events, server CPU per SSE delivery, concurrent writers, compared with the limit`;
  return { id: "P9", what, unit: "µs", ...medians, ratio, goal: 1, held: ratio <= 1, how };
}

/**
 * Measures deliveries of single events: each event is delivered before the next one is written, so no two events share a packet. Most of
 * the cost is the operating system's, so the anchor is a server that only writes events of the same size.
 */
async function measureSingle({ note }: BenchmarkRun, platform: Server, bare: Server): Promise<Measurement> {
  const write = createWriters(platform, 1, (nth) => clusterInput(`s-${nth}`, "main"));
  await write.one();
  const example = await readExample(platform, "s-1");
  const writeBare = createWriters(bare, 1, () => example);
  const measured = await interleave(
    { rounds, warmUp: 1 },
    () => measureDelivery(platform, write),
    () => measureDelivery(bare, writeBare),
  );
  write.close();
  writeBare.close();
  for (const { ours, anchor } of measured) note(`P9-single ${ours.toFixed(2)} / ${anchor.toFixed(2)} µs`);
  const { ratio, lowest, highest, ...medians } = compareRounds(measured);
  const how =
    `CPU time of the server process for ${events} events, each delivered before the next, the difference between ${watchers} SSE watchers and none, per delivery; ` +
    `${rounds} alternating rounds (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)}); clients in another process`;
  const what = `${watchers} watchers x ${events} events, server CPU per SSE delivery, one event at a time, compared with a server that only writes`;
  return { id: "P9-single", what, unit: "µs", ...medians, ratio, goal: bareGoal, held: ratio <= bareGoal, how };
}

/** Returns the CPU time per delivery, in microseconds: the time for writes with watchers, minus the time for the same writes without. */
async function measureDelivery(server: Server, write: Writers): Promise<number> {
  const watched = await withAudience(server, write, (delivered) => write.each(delivered));
  const unwatched = await timeCpu(server, () => write.each());
  return (watched - unwatched) / (watchers * events);
}

type Server = Pick<BenchPlatform, "server" | "adminKey">;

async function timeCpu({ server }: Server, work: () => Promise<void>): Promise<number> {
  const before = await server.readCpuMicros();
  await work();
  return (await server.readCpuMicros()) - before;
}

/** Runs `work` while an audience watches, and returns its CPU time. `delivered` waits until every watcher has received `count` events. */
async function withAudience(
  server: Server,
  write: Writers,
  work: (delivered: (count: number) => Promise<void>) => Promise<void>,
): Promise<number> {
  const audience = await openAudience(server, path, watchers);
  const delivered = async (count: number): Promise<void> => {
    if (!(await audience.waitFor(count * watchers))) throw new Error("deliveries are missing");
  };
  // Excludes the cost of opening the watches. Once all watchers have received the first event, they are connected.
  await write.one();
  await delivered(1);
  const micros = await timeCpu(server, () => work((count) => delivered(1 + count)));
  audience.close();
  await waitUntilUnwatched(server);
  return micros;
}

/** Returns a cluster as the platform sends it in an event. */
async function readExample({ server, adminKey }: Server, name: string): Promise<object> {
  const client = openConnection(server.url, adminKey);
  const { body } = expectStatus(await client.send("GET", `${path}/${name}`), 200);
  client.close();
  return { type: "ADDED", kind: "Cluster", resourceVersion: "0", object: JSON.parse(body) as object };
}

/** Waits until the server has closed all watches, so that the measurement does not include closing them. */
async function waitUntilUnwatched({ server, adminKey }: Server): Promise<void> {
  const client = openConnection(server.url, adminKey);
  for (;;) {
    const { body } = expectStatus(await client.send("GET", "/metrics"), 200);
    if (/^cloudwright_watchers 0$/m.test(body)) break;
    await systemClock.sleep(20);
  }
  client.close();
}

interface Writers {
  one(): Promise<void>;
  /** Writes all events as fast as the writers can. */
  all(): Promise<void>;
  /** Writes one event at a time and awaits `seen` after each. */
  each(seen?: (count: number) => Promise<void>): Promise<void>;
  close(): void;
}

function createWriters({ server, adminKey }: Server, count: number, render: (nth: number) => object): Writers {
  const clients = Array.from({ length: count }, () => openConnection(server.url, adminKey));
  let created = 0;
  const [first] = clients as [Connection];
  const create = async (client: Connection): Promise<void> => {
    expectStatus(await client.send("POST", path, render((created += 1))), 202);
  };
  return {
    one: () => create(first),
    async all() {
      await Promise.all(
        clients.map(async (client) => {
          for (let index = 0; index < events / count; index += 1) await create(client);
        }),
      );
    },
    async each(seen) {
      for (let index = 1; index <= events; index += 1) {
        await create(first);
        await seen?.(index);
      }
    },
    close: () => clients.forEach((client) => client.close()),
  };
}
