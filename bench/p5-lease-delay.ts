import { systemClock } from "@cloudwright/platform";
import type { Benchmark, BenchmarkRun, Measurement } from "./benchmark.ts";
import { clusterInput } from "./load/cluster-inputs.ts";
import { expectStatus, openConnection, type Connection } from "./load/connection.ts";
import { joinPlainAgent, type GivenTask, type PlainAgent } from "./load/plain-agent.ts";
import { openBenchPlatform, type BenchPlatform } from "./processes/bench-platform.ts";
import { percentile } from "./statistics.ts";

const path = "/v1/projects/default/clusters";
const warmUp = 30;
const samples = 250;
const limitMs = 50;

/** P5: how long an agent that waits goes on waiting after somebody has asked for something. */
export const leaseDelay: Benchmark = {
  id: "P5",
  name: "p5-lease-delay",
  async run(run) {
    await using platform = await openBenchPlatform({ ...run, roles: "api,tasks,reconciler" });
    return await measureDelays(run, platform);
  },
};

async function measureDelays(run: BenchmarkRun, platform: BenchPlatform): Promise<Measurement[]> {
  const agent = await joinPlainAgent(platform, "waiting");
  const client = openConnection(platform.server.url, platform.adminKey);
  const waiting = createWaiting(agent);
  await provision(client, waiting, "accounts", { metadata: { name: "main" }, spec: { simulated: true, aws: {} } });
  await provision(client, waiting, "networks", { metadata: { name: "main" }, spec: { account: "main" } });
  const first: number[] = [];
  const answered: number[] = [];
  const bare: number[] = [];
  const next: number[] = [];
  for (let nth = -warmUp; nth < samples; nth += 1) {
    // Somewhere between two ticks of whatever ticks in the server.
    await systemClock.sleep(20 + Math.random() * 30);
    const askedAt = performance.now();
    expectStatus(await client.send("GET", "/healthz"), 200);
    const sentAt = performance.now();
    const answer = client.send("POST", path, clusterInput(`c${nth + warmUp}`, "main")).then((got) => {
      expectStatus(got, 202);
      return performance.now();
    });
    const times = await waiting.serveAll("cluster.addons", sentAt);
    const answeredAt = await answer;
    if (nth < 0) continue;
    bare.push(sentAt - askedAt);
    first.push(times[0] as number);
    answered.push(answeredAt - sentAt);
    next.push(...times.slice(1));
  }
  waiting.close();
  client.close();
  run.note(
    `P5 a bare answer ${describe(bare)}; created ${describe(answered)}; leased ${describe(first)}; next task leased ${describe(next)}`,
  );
  const how =
    `from sending the create of a cluster to the server until its first task is with an agent that waits (long poll), over the wire, one at a time: ` +
    `${describe(first)}; the create itself is answered after ${describe(answered)}, and what a busy machine adds shows at /healthz, which does nothing: ${describe(bare)}`;
  const howNext = `from reporting a task done until the next task of the same cluster is with the agent, which polls again meanwhile: ${describe(next)}`;
  return [
    toMeasurement("P5", `spec sent -> task leased by a waiting agent, ${samples} times, p99 beside the limit`, first, how),
    toMeasurement("P5-next", "task reported done -> next task leased, p99 beside the limit", next, howNext),
  ];
}

function toMeasurement(id: string, what: string, times: readonly number[], how: string): Measurement {
  const ours = percentile(times, 99);
  return { id, what, unit: "ms", ours, anchor: limitMs, ratio: ours / limitMs, goal: 1, held: ours <= limitMs, how };
}

function describe(times: readonly number[]): string {
  const [p50, p90, p99, most] = [50, 90, 99, 100].map((part) => percentile(times, part).toFixed(1));
  return `p50 ${p50}, p90 ${p90}, p99 ${p99}, max ${most} ms`;
}

/** An agent that always has a poll under way. */
interface Waiting {
  /** Does tasks until one of the last type is done; answers how long each let it wait, the first since `sinceMs`. */
  serveAll(lastType: string, sinceMs: number): Promise<number[]>;
  close(): void;
}

function createWaiting(agent: PlainAgent): Waiting {
  const take = async (): Promise<{ task: GivenTask; atMs: number }> => {
    const task = await agent.takeTask();
    return { task, atMs: performance.now() };
  };
  let taken = take();
  // A poll that is under way when the benchmark ends has nobody left to tell.
  taken.catch(() => undefined);
  return {
    async serveAll(lastType, sinceMs) {
      const times: number[] = [];
      for (let since = sinceMs; ;) {
        const { task, atMs } = await taken;
        times.push(atMs - since);
        taken = take();
        taken.catch(() => undefined);
        since = performance.now();
        await agent.finish(task, { id: task.uid });
        if (task.type === lastType) return times;
      }
    },
    close: () => agent.close(),
  };
}

async function provision(client: Connection, waiting: Waiting, collection: string, body: object): Promise<void> {
  expectStatus(await client.send("POST", `/v1/projects/default/${collection}`, body), 202);
  await waiting.serveAll(collection === "accounts" ? "account.verify" : "network.apply", 0);
}
