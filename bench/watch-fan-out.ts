import { systemClock } from "@cloudwright/platform";
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

/** Benchmark P9 measures the cost of delivering events to many watchers. */
export const watchFanOut: Benchmark = {
  id: "P9",
  name: "watch-fan-out",
  async run(run) {
    await using platform = await openBenchPlatform(run);
    await createNetwork(platform, "main");
    return [await measureCost(run, platform, 4), await measureCost(run, platform, 1)];
  },
};

/**
 * Measures the server's CPU time per delivery: the time for writes with watchers, minus the time for the same writes without watchers. With
 * a single writer, each event is delivered before the next one is written, so no two events share a packet.
 */
async function measureCost({ note }: BenchmarkRun, platform: BenchPlatform, writers: number): Promise<Measurement> {
  const write = createWriters(platform, `w${writers}`, writers);
  const timed = async (work: () => Promise<void>): Promise<number> => {
    const before = await platform.server.readCpuMicros();
    await work();
    return (await platform.server.readCpuMicros()) - before;
  };
  const watched = async (): Promise<number> => {
    const audience = await openAudience(platform, path, watchers);
    const delivered = async (count: number): Promise<void> => {
      if (!(await audience.waitFor(count * watchers))) throw new Error("deliveries are missing");
    };
    // Excludes the cost of opening the watches. Once all watchers have received the first event, they are connected.
    await write.one();
    await delivered(1);
    const micros = await timed(async () => {
      if (writers === 1) return write.each((count) => delivered(1 + count));
      await write.all();
      return delivered(1 + events);
    });
    audience.close();
    await waitUntilUnwatched(platform);
    return micros;
  };
  const unwatched = (): Promise<number> => timed(() => (writers === 1 ? write.each() : write.all()));
  const measured = await interleave({ rounds, warmUp: 1 }, watched, unwatched);
  write.close();
  const perDelivery = measured.map((round) => ({ ours: (round.ours - round.anchor) / (watchers * events), anchor: limitMicros }));
  for (const { ours } of perDelivery) note(`P9 ${ours.toFixed(2)} µs with ${writers} writers`);
  const { ratio, lowest, highest, ...medians } = compareRounds(perDelivery);
  const how =
    `CPU time of the server process for ${events} creates by ${writers === 1 ? "one writer, each delivered before the next" : `${writers} concurrent writers`}, ` +
    `the difference between ${watchers} SSE watchers and none, per delivery; ${rounds} alternating rounds (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)}); clients in another process`;
  const what = `${watchers} watchers x ${events} events, server CPU per SSE delivery, ${writers === 1 ? "one event at a time" : "concurrent writers"}, compared with the limit`;
  return { id: writers === 1 ? "P9-single" : "P9", what, unit: "µs", ...medians, ratio, goal: 1, held: ratio <= 1, how };
}

/** Waits until the server has closed all watches, so that the measurement does not include closing them. */
async function waitUntilUnwatched(platform: BenchPlatform): Promise<void> {
  const client = openConnection(platform.server.url, platform.adminKey);
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

function createWriters(platform: BenchPlatform, prefix: string, count: number): Writers {
  const clients = Array.from({ length: count }, () => openConnection(platform.server.url, platform.adminKey));
  let created = 0;
  const [first] = clients as [Connection];
  const create = async (client: Connection): Promise<void> => {
    expectStatus(await client.send("POST", path, clusterInput(`${prefix}-${(created += 1)}`, "main")), 202);
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
