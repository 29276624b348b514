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

/** Benchmark P5 measures the delay between a request and the moment when a waiting agent receives the resulting task. */
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
    // A random pause prevents requests from aligning with timers in the server.
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
    `P5 /healthz ${describe(bare)}; create response ${describe(answered)}; leased ${describe(first)}; next task leased ${describe(next)}`,
  );
  const how =
    `time from sending the request for a cluster until a waiting agent (long poll) has received its first task, one request at a time: ` +
    `${describe(first)}; response to the create request: ${describe(answered)}; response of /healthz, which shows the delay caused by other load: ${describe(bare)}`;
  const howNext = `time from reporting a task as done until the agent, which is already polling again, has received the cluster's next task: ${describe(next)}`;
  return [
    toMeasurement(
      "P5",
      `spec sent -> task leased by a waiting agent, p99 of ${samples} requests compared with the limit`,
      first,
      how,
    ),
    toMeasurement("P5-next", "task reported done -> next task leased, p99 compared with the limit", next, howNext),
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

/** An agent that always has a poll request in progress. */
interface Waiting {
  /**
   * Completes tasks up to and including one of type `lastType`. Returns the waiting time for each task in milliseconds. The first wait is
   * measured from `sinceMs`.
   */
  serveAll(lastType: string, sinceMs: number): Promise<number[]>;
  close(): void;
}

function createWaiting(agent: PlainAgent): Waiting {
  const take = async (): Promise<{ task: GivenTask; atMs: number }> => {
    const task = await agent.takeTask();
    return { task, atMs: performance.now() };
  };
  let taken = take();
  // When the benchmark ends, the pending poll fails. That must not become an unhandled rejection.
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
