import { systemClock } from "@cloudwright/platform";
import { createPool, type Pool } from "@cloudwright/store";
import type { Benchmark, Measurement } from "./benchmark.ts";
import { clusterInput } from "./load/cluster-inputs.ts";
import { expectStatus, openConnection } from "./load/connection.ts";
import { createTree } from "./load/network.ts";
import { startAgentProcesses } from "./processes/agent-processes.ts";
import { openBenchPlatform, type BenchPlatform } from "./processes/bench-platform.ts";
import { readDatabaseUse } from "./processes/process-use.ts";

const agents = 4;
const connections = 16;
const smallProjects = 7;
/** Number of clusters in each small project: about a tenth of the number in the big project. */
const perSmallProject = 118;
const big = { project: "big", count: 1174 };
const small = Array.from({ length: smallProjects }, (_, nth) => ({ project: `small-${nth}`, count: perSmallProject }));
const total = big.count + smallProjects * perSmallProject;
/** Goal: the fleet must reach RUNNING at this rate or faster, in clusters per second. */
const leastPerSecond = 60;
/**
 * Goal: the small projects must finish within this fraction of the total time. With fair scheduling, they need about half of the total
 * time.
 */
const fairGoal = 0.75;
const patienceMs = 300_000;

/** Benchmark FLEET measures how fast many clusters are built, and whether a big project delays the small ones. */
export const fleet: Benchmark = {
  id: "FLEET",
  name: "fleet",
  async run(run) {
    await using platform = await openBenchPlatform({ ...run, roles: "api,tasks,reconciler" });
    await using workers = await startAgentProcesses(platform, agents);
    const pool = createPool({ url: platform.databaseUrl }, { size: 1 });
    try {
      for (const { project } of [big, ...small]) await createTree(platform, project);
      await waitForRunning(pool, "Network", 1 + smallProjects);
      const readUse = async (): Promise<number[]> => [
        await platform.server.readCpuMicros(),
        (await readDatabaseUse(pool)).cpuMicros,
        workers.readCpuMicros(),
      ];
      const before = await readUse();
      const startedMs = systemClock.now();
      await createClusters(platform);
      const createdSeconds = (systemClock.now() - startedMs) / 1000;
      await waitForRunning(pool, "Cluster", total);
      const spans = await listSpans(pool, startedMs);
      const [server = 0, database = 0, agent = 0] = (await readUse()).map(
        (micros, nth) => (micros - (before[nth] ?? 0)) / 1000 / total,
      );
      const cpu = `CPU per cluster: server ${server.toFixed(1)}, PostgreSQL ${database.toFixed(1)}, agents ${agent.toFixed(1)} ms`;
      run.note(`FLEET created in ${createdSeconds.toFixed(1)} s; ${cpu}; ${spans.map(describeSpan).join("; ")}`);
      return toMeasurements(spans, createdSeconds, cpu);
    } finally {
      await pool.close();
    }
  },
};

/** Times at which the first and the last cluster of a project became ready, in seconds since the first request. */
interface Span {
  readonly project: string;
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

function toMeasurements(spans: readonly Span[], createdSeconds: number, cpu: string): Measurement[] {
  const seconds = Math.max(...spans.map(({ last }) => last));
  const others = spans.filter(({ project }) => project !== big.project);
  const smallSeconds = Math.max(...others.map(({ last }) => last));
  const how =
    `${total} clusters in ${1 + smallProjects} projects, ${big.count} of them in one project and requested first, over ${connections} connections; all requests ` +
    `accepted after ${createdSeconds.toFixed(1)} s; ${agents} agents in separate processes, five tasks per cluster that succeed at once; all processes on one machine; ${cpu}`;
  const rate = total / seconds;
  return [
    {
      id: "FLEET",
      what: `clusters that become RUNNING per second, ${total} requested at once (at least ${leastPerSecond})`,
      unit: "clusters/s",
      ours: rate,
      anchor: leastPerSecond,
      ratio: rate / leastPerSecond,
      goal: 1,
      held: rate >= leastPerSecond,
      how,
    },
    {
      id: "FLEET-fair",
      what: "time until the small projects are done, compared with all projects",
      unit: "s",
      ours: smallSeconds,
      anchor: seconds,
      ratio: smallSeconds / seconds,
      goal: fairGoal,
      held: smallSeconds / seconds <= fairGoal,
      how: `in the same run; seconds from the first request to the first and the last running cluster: ${spans.map(describeSpan).join("; ")}`,
    },
  ];
}

function describeSpan({ project, first, last, count }: Span): string {
  return `${project} (${count}) ${first.toFixed(1)} to ${last.toFixed(1)}`;
}

/** Sends all create requests as fast as the connections allow, starting with the big project. */
async function createClusters(platform: BenchPlatform): Promise<void> {
  const wanted = [big, ...small].flatMap(({ project, count }) =>
    Array.from({ length: count }, (_, nth) => ({ project, name: `c${nth}` })),
  );
  const rest = wanted.values();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = openConnection(platform.server.url, platform.adminKey);
      for (const { project, name } of rest) {
        expectStatus(await client.send("POST", `/v1/projects/${project}/clusters`, clusterInput(name, "main")), 202);
      }
      client.close();
    }),
  );
}

/** Polls rarely, because each query takes a millisecond or two of database time and would disturb the measurement. */
async function waitForRunning(pool: Pool, kind: string, count: number): Promise<void> {
  const text = "select count(*)::integer as count from event where kind = $1 and reason = 'Ready'";
  const endMs = systemClock.now() + patienceMs;
  for (;;) {
    const { rows } = await pool.query<{ count: number }>({ text, values: [kind] });
    if ((rows[0]?.count ?? 0) >= count) return;
    if (systemClock.now() > endMs) throw new Error(`timed out: only ${rows[0]?.count} of ${count} ${kind} entities are ready`);
    await systemClock.sleep(500);
  }
}

async function listSpans(pool: Pool, startedMs: number): Promise<Span[]> {
  const text = `select project, count(*)::integer as count, extract(epoch from min(at))::float8 - $1 as first, extract(epoch from max(at))::float8 - $1 as last
    from event where kind = 'Cluster' and reason = 'Ready' group by project order by project`;
  return (await pool.query<{ project: string; count: number; first: number; last: number }>({ text, values: [startedMs / 1000] }))
    .rows;
}
