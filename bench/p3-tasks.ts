import { createLogger, createUid, systemClock } from "@cloudwright/platform";
import { createPool, migrate, type Pool } from "@cloudwright/store";
import { startTestPostgres } from "@cloudwright/store/testing";
import { leaseTasks } from "@cloudwright/tasks";
import { openPgBossQueue } from "./anchors/pg-boss-queue.ts";
import type { Benchmark, BenchmarkRun, Measurement } from "./benchmark.ts";
import { createLeaseRequest, createTaskClient, fillBacklog, handBackTasks, payload } from "./load/task-backlog.ts";
import { runSlice, type TakeWork } from "./load/task-clients.ts";
import { countCpuMicros } from "./processes/database-cpu.ts";
import { compareRounds, interleave, median, type Round } from "./statistics.ts";

const clients = 4;
const entities = 2000;
const tasks = 2 * entities;
const slice = tasks / 16;
const rounds = 5;
const goals: readonly { readonly batch: number; readonly goal: number }[] = [
  { batch: 1, goal: 2 },
  { batch: 10, goal: 4 },
];
const backlogs = { deep: 20_000, shallow: 200 };
const backlogGoal = 2;

/**
 * Benchmark P3 compares the product's task throughput with that of pg-boss. It also checks that the cost of a lease does not grow with the
 * backlog.
 */
export const taskThroughput: Benchmark = {
  id: "P3",
  name: "p3-tasks",
  run: async (run) => [...(await compareRates(run)), ...(await compareBacklogs(run))],
};

async function compareRates(run: BenchmarkRun): Promise<Measurement[]> {
  await using platform = await openTaskPlatform(clients);
  const boss = await openPgBossQueue(platform.databaseUrl, payload);
  const uids = createUids(entities);
  const measurements: Measurement[] = [];
  for (const { batch, goal } of goals) {
    const ours = createSide(platform.pool, () => createTaskClient(platform.pool, batch));
    const anchor = createSide(platform.pool, () => boss.createClient(batch));
    const measured: Round[] = [];
    for (let round = -1; round < rounds; round += 1) {
      await fillBacklog(platform.pool, uids, tasks);
      await boss.fill(uids, tasks);
      ours.begin();
      anchor.begin();
      // Alternates between the queues in small slices, so that both run under the same machine load and with the same backlog.
      for (let left = tasks; left > 0; left -= slice) {
        await ours.drain(left - slice);
        await anchor.drain(left - slice);
      }
      if (round >= 0) measured.push({ ours: ours.readRate(), anchor: anchor.readRate() });
    }
    const { ratio, lowest, highest, ...medians } = compareRounds(measured);
    const micros = `${ours.readMicros().toFixed(0)} / ${anchor.readMicros().toFixed(0)} microseconds of CPU per task`;
    run.note(`P3 batch ${batch}: ${medians.ours.toFixed(0)} / ${medians.anchor.toFixed(0)} tasks/s, ${micros}`);
    const what = `tasks leased and completed in batches of ${batch} by ${clients} clients, with per-entity ordering, labels, fair scheduling and limits, compared with pg-boss key_strict_fifo (at least ${goal} x)`;
    const how =
      `${tasks} tasks of ${entities} entities in 8 projects, 16 accounts and 3 placements, and equally many pg-boss jobs and keys on the same PostgreSQL, drained in ` +
      `alternating slices of ${slice}; ${rounds} rounds, tables vacuumed and analysed before each (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)}; ${micros}, clients and backends)`;
    measurements.push({ id: `P3-${batch}`, what, unit: "tasks/s", ...medians, ratio, goal, held: ratio >= goal, how });
  }
  await boss.close();
  return measurements;
}

/** One of the two queues that are drained alternately. */
interface Side {
  /** Resets the counters. Called at the start of a round, after the backlog has been filled. */
  begin(): void;
  /** Completes tasks until `left` tasks remain. */
  drain(left: number): Promise<void>;
  /** Returns the throughput of this round, in tasks per second. */
  readRate(): number;
  /** Returns the CPU time per task over all rounds, in microseconds. */
  readMicros(): number;
}

function createSide(pool: Pool, createClient: () => TakeWork): Side {
  const takers = Array.from({ length: clients }, createClient);
  let current = { done: 0, seconds: 0 };
  const total = { done: 0, micros: 0 };
  return {
    begin: () => void (current = { done: 0, seconds: 0 }),
    async drain(left) {
      total.micros += await countCpuMicros(pool, async () => {
        const { done, seconds } = await runSlice(takers, tasks - left - current.done);
        current = { done: current.done + done, seconds: current.seconds + seconds };
        total.done += done;
      });
    },
    readRate: () => current.done / current.seconds,
    readMicros: () => total.micros / total.done,
  };
}

async function compareBacklogs(run: BenchmarkRun): Promise<Measurement[]> {
  await using deep = await openTaskPlatform(1);
  await using shallow = await openTaskPlatform(1);
  await fillBacklog(deep.pool, createUids(backlogs.deep), backlogs.deep);
  await fillBacklog(shallow.pool, createUids(backlogs.shallow), backlogs.shallow);
  const measurements: Measurement[] = [];
  for (const { batch } of goals) {
    const counts = { rounds: 9, warmUp: 2 };
    const measured = await interleave(
      counts,
      () => timeLease(deep.pool, batch),
      () => timeLease(shallow.pool, batch),
    );
    const { ratio, lowest, highest, ...medians } = compareRounds(measured);
    run.note(`P3 lease of ${batch}: ${medians.ours.toFixed(2)} / ${medians.anchor.toFixed(2)} ms`);
    const what = `lease of ${batch} with a backlog of ${backlogs.deep} tasks compared with ${backlogs.shallow}`;
    const how = `response time on one connection, tables analysed; medians of 20 leases per round, ${counts.rounds} alternating rounds, leased tasks are returned (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
    measurements.push({
      id: `P3-backlog-${batch}`,
      what,
      unit: "ms",
      ...medians,
      ratio,
      goal: backlogGoal,
      held: ratio <= backlogGoal,
      how,
    });
  }
  return measurements;
}

/** Returns the median duration of a lease request in milliseconds. Throws if a lease does not return a full batch. */
async function timeLease(pool: Pool, batch: number): Promise<number> {
  const request = createLeaseRequest(batch);
  const times: number[] = [];
  for (let nth = 0; nth < 20; nth += 1) {
    const started = performance.now();
    const leased = await leaseTasks(pool, request);
    times.push(performance.now() - started);
    if (leased.length !== batch) throw new Error(`${leased.length} tasks were leased instead of ${batch}`);
    await handBackTasks(pool, leased);
  }
  await pool.query({ text: "vacuum task_line", values: [] });
  return median(times);
}

interface TaskPlatform {
  readonly pool: Pool;
  readonly databaseUrl: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a temporary PostgreSQL server with the product's tables. Durability is off for both queues, because a shared disk would distort
 * the results.
 */
async function openTaskPlatform(connections: number): Promise<TaskPlatform> {
  const postgres = await startTestPostgres("18");
  const databaseUrl = `postgresql://${postgres.user}@localhost/cloudwright?host=${encodeURIComponent(postgres.host)}&port=${postgres.port}`;
  await migrate({ log: createLogger({ level: "error", name: "bench" }) }, { url: databaseUrl });
  const pool = createPool({ url: databaseUrl }, { size: connections });
  return {
    pool,
    databaseUrl,
    async [Symbol.asyncDispose]() {
      await pool.close();
      await postgres.stop();
    },
  };
}

function createUids(count: number): string[] {
  return Array.from({ length: count }, () => createUid(systemClock.now()));
}
