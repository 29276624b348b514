import { systemClock } from "@cloudwright/platform";
import { createPool, type Pool } from "@cloudwright/store";
import type { Benchmark, BenchmarkRun, Measurement } from "./benchmark.ts";
import { expectStatus, openConnection } from "./load/connection.ts";
import { copyRunningClusters, createRunningTrees } from "./load/running-clusters.ts";
import { startAgentProcesses, type AgentProcesses } from "./processes/agent-processes.ts";
import { openBenchPlatform, type BenchPlatform } from "./processes/bench-platform.ts";
import { readDatabaseUse } from "./processes/process-use.ts";

const clusters = 10_000;
const projects = 10;
const networksPerProject = 5;
const idleMs = 40_000;
const settleMs = 5000;
const limits = { corePercent: 5, memoryMiB: 400, restartSeconds: 10 };
const patienceMs = 240_000;

/** Benchmark P6 measures the cost of an idle fleet, and whether a server restart causes additional work. */
export const idleFleet: Benchmark = {
  id: "P6",
  name: "p6-idle",
  async run(run) {
    // The reconcile interval is half an hour, the default. `openBenchPlatform` turns drift checks off.
    await using platform = await openBenchPlatform({ ...run, roles: "api,tasks,reconciler" });
    const pool = createPool({ url: platform.databaseUrl }, { size: 1 });
    try {
      await using agent = await startAgentProcesses(platform, 1);
      await createRunningTrees(platform, pool, projects, networksPerProject);
      await copyRunningClusters(pool, clusters);
      return [...(await measureIdle(run, platform, pool, agent)), ...(await measureRestart(run, platform, pool))];
    } finally {
      await pool.close();
    }
  },
};

async function measureIdle(
  run: BenchmarkRun,
  platform: BenchPlatform,
  pool: Pool,
  agent: AgentProcesses,
): Promise<Measurement[]> {
  // Restarts the server, because filling the tables has increased its memory use.
  await platform.restart();
  await systemClock.sleep(settleMs);
  const before = {
    server: await platform.server.readCpuMicros(),
    database: await readDatabaseUse(pool),
    agent: agent.readCpuMicros(),
    atMs: performance.now(),
  };
  await systemClock.sleep(idleMs);
  const tookMicros = (performance.now() - before.atMs) * 1000;
  const percent = (100 * ((await platform.server.readCpuMicros()) - before.server)) / tookMicros;
  const database = await readDatabaseUse(pool);
  const databasePercent = (100 * (database.cpuMicros - before.database.cpuMicros)) / tookMicros;
  const agentPercent = (100 * (agent.readCpuMicros() - before.agent)) / tookMicros;
  const memoryMiB = (await platform.server.readMemoryBytes()) / 2 ** 20;
  const databaseMiB = database.memoryBytes / 2 ** 20;
  run.note(
    `P6 ${percent.toFixed(2)} % of a core, ${memoryMiB.toFixed(0)} MiB; PostgreSQL ${databasePercent.toFixed(2)} %, ${databaseMiB.toFixed(0)} MiB`,
  );
  const fleet = `${clusters} clusters in ${projects * networksPerProject} networks of ${projects} projects, all RUNNING, one waiting agent, each entity reconciled every 30 minutes, drift checks off`;
  return [
    {
      id: "P6-cpu",
      what: `${clusters} idle clusters: CPU time of the control plane compared with the limit`,
      unit: "% of a core",
      ours: percent,
      anchor: limits.corePercent,
      ratio: percent / limits.corePercent,
      goal: 1,
      held: percent <= limits.corePercent,
      how: `${fleet}; over ${idleMs / 1000} s; PostgreSQL used ${databasePercent.toFixed(2)} %, the agent ${agentPercent.toFixed(2)} %`,
    },
    {
      id: "P6-memory",
      what: `${clusters} idle clusters: resident memory of the control plane compared with the limit`,
      unit: "MiB",
      ours: memoryMiB,
      anchor: limits.memoryMiB,
      ratio: memoryMiB / limits.memoryMiB,
      goal: 1,
      held: memoryMiB <= limits.memoryMiB,
      how: `in the same run; PostgreSQL used ${databaseMiB.toFixed(0)} MiB, with memory shared by its processes counted once`,
    },
  ];
}

async function measureRestart(run: BenchmarkRun, platform: BenchPlatform, pool: Pool): Promise<Measurement[]> {
  const tasks = await countTasks(pool);
  await platform.server.stop();
  const startedMs = performance.now();
  await platform.restart();
  await waitUntilReady(platform);
  const seconds = (performance.now() - startedMs) / 1000;
  await systemClock.sleep(settleMs);
  const afterStart = (await countTasks(pool)) - tasks;
  const reconcileSeconds = await reconcileAll(pool);
  const created = (await countTasks(pool)) - tasks;
  const entities = clusters + projects * (1 + networksPerProject);
  const rate = (entities / reconcileSeconds).toFixed(0);
  run.note(
    `P6 ready ${seconds.toFixed(1)} s after the start; all entities reconciled in ${reconcileSeconds.toFixed(1)} s (${rate}/s); ${created} tasks`,
  );
  return [
    {
      id: "P6-restart",
      what: `${clusters} idle clusters: time from start to ready compared with the limit`,
      unit: "s",
      ours: seconds,
      anchor: limits.restartSeconds,
      ratio: seconds / limits.restartSeconds,
      goal: 1,
      held: seconds <= limits.restartSeconds,
      how: "from process start until /readyz returns 200, with PostgreSQL running",
    },
    {
      id: "P6-tasks",
      what: `${clusters} idle clusters: tasks created after a restart and by reconciling every entity once`,
      unit: "",
      ours: created,
      anchor: entities,
      ratio: created / entities,
      goal: 0,
      held: created === 0,
      how: `${afterStart} in the first seconds; then all ${entities} entities were made due at once and reconciled in ${reconcileSeconds.toFixed(1)} s (${rate} per second)`,
    },
  ];
}

async function countTasks(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({ text: "select count(*)::integer as count from task", values: [] });
  return rows[0]?.count ?? 0;
}

async function waitUntilReady(platform: BenchPlatform): Promise<void> {
  const client = openConnection(platform.server.url, platform.adminKey);
  while ((await client.send("GET", "/readyz")).status !== 200) await systemClock.sleep(10);
  expectStatus(await client.send("GET", "/readyz"), 200);
  client.close();
}

/** Makes all entities due and waits until all have been reconciled. Returns the duration in seconds. */
async function reconcileAll(pool: Pool): Promise<number> {
  await pool.query({ text: "update due set due_at = now(), wakes = wakes + 1", values: [] });
  const startedMs = performance.now();
  for (;;) {
    // An entity that is still being reconciled is due again within seconds. A reconciled entity is due again in minutes.
    const text = "select count(*)::integer as count from due where due_at < clock_timestamp() + interval '60 seconds'";
    const { rows } = await pool.query<{ count: number }>({ text, values: [] });
    const seconds = (performance.now() - startedMs) / 1000;
    if (rows[0]?.count === 0) return seconds;
    if (seconds * 1000 > patienceMs) throw new Error(`${rows[0]?.count} entities have not been reconciled in time`);
    await systemClock.sleep(250);
  }
}
