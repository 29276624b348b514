import { createLogger, createUid, systemClock } from "@cloudwright/platform";
import { createPool, migrate, type Pool } from "@cloudwright/store";
import { startTestPostgres } from "@cloudwright/store/testing";
import { leaseTasks } from "@cloudwright/tasks";
import { openPgBossQueue } from "./anchors/pg-boss-queue.ts";
import type { Benchmark, BenchmarkRun, Measurement } from "./benchmark.ts";
import { createLeaseRequest, createTaskClient, endTasks, fillBacklog, payload } from "./load/task-backlog.ts";
import { drainQueue, type TakeWork } from "./load/task-clients.ts";
import { countCpuMicros } from "./processes/database-cpu.ts";
import { compareRounds, interleave, median } from "./statistics.ts";

const clients = 4;
const entities = 2000;
const tasks = 2 * entities;
const rounds = 5;
const goals: readonly { readonly batch: number; readonly goal: number }[] = [
  { batch: 1, goal: 2 },
  { batch: 10, goal: 4 },
];
const backlogs = { deep: 20_000, shallow: 200 };
const backlogGoal = 2;

/** P3: tasks leased and completed per second, beside pg-boss; and whether a lease costs more the more there is to do. */
export const taskThroughput: Benchmark = {
  id: "P3",
  name: "p3-tasks",
  run: async (run) => [...(await compareRates(run)), ...(await compareBacklogs(run))],
};

async function compareRates(run: BenchmarkRun): Promise<Measurement[]> {
  await using house = await openTaskHouse(clients);
  const boss = await openPgBossQueue(house.databaseUrl, payload);
  const uids = createUids(entities);
  const measurements: Measurement[] = [];
  for (const { batch, goal } of goals) {
    const cpu = { ours: [] as number[], anchor: [] as number[] };
    const drain = async (createClient: () => TakeWork, costs: number[]): Promise<number> => {
      let rate = 0;
      const micros = await countCpuMicros(house.pool, async () => {
        rate = await drainQueue(Array.from({ length: clients }, createClient), tasks);
      });
      costs.push(micros / tasks);
      return rate;
    };
    const measured = await interleave(
      { rounds, warmUp: 1 },
      async () => {
        await fillBacklog(house.pool, uids, tasks);
        return drain(() => createTaskClient(house.pool, batch), cpu.ours);
      },
      async () => {
        await boss.fill(uids, tasks);
        return drain(() => boss.createClient(batch), cpu.anchor);
      },
    );
    const { ratio, lowest, highest, ...medians } = compareRounds(measured);
    const micros = `${median(cpu.ours).toFixed(0)} / ${median(cpu.anchor).toFixed(0)} microseconds of CPU a task`;
    run.note(`P3 batch ${batch}: ${medians.ours.toFixed(0)} / ${medians.anchor.toFixed(0)} tasks/s, ${micros}`);
    const what = `tasks leased and completed in batches of ${batch} by ${clients} clients, order per entity, labels, turns and limits on, beside pg-boss key_strict_fifo (at least ${goal} x)`;
    const how =
      `${tasks} tasks of ${entities} entities in 8 projects, 16 accounts and 3 placements are drained, as many jobs of as many keys by pg-boss on the same PostgreSQL; ` +
      `${rounds} rounds in turn, tables vacuumed and analysed before each (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)}; ${micros}, clients and backends, which says the same where other programs take turns with ours)`;
    measurements.push({ id: `P3-${batch}`, what, unit: "tasks/s", ...medians, ratio, goal, held: ratio >= goal, how });
  }
  await boss.close();
  return measurements;
}

async function compareBacklogs(run: BenchmarkRun): Promise<Measurement[]> {
  await using deep = await openTaskHouse(1);
  await using shallow = await openTaskHouse(1);
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
    const what = `lease of ${batch} with ${backlogs.deep} tasks ready beside ${backlogs.shallow}`;
    const how = `time to answer on one connection, tables analysed; medians of 20 leases a round, ${counts.rounds} rounds in turn, what was leased is handed back (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
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

/** The middle time of some leases, in milliseconds; each must give all that was asked for. */
async function timeLease(pool: Pool, batch: number): Promise<number> {
  const request = createLeaseRequest(batch);
  const times: number[] = [];
  for (let nth = 0; nth < 20; nth += 1) {
    const started = performance.now();
    const leased = await leaseTasks(pool, request);
    times.push(performance.now() - started);
    if (leased.length !== batch) throw new Error(`${leased.length} tasks were leased, not ${batch}`);
    await endTasks(pool, leased, "returned");
  }
  await pool.query({ text: "vacuum task_line", values: [] });
  return median(times);
}

interface TaskHouse {
  readonly pool: Pool;
  readonly databaseUrl: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A throw-away PostgreSQL with the product's tables. Durability is off, for both sides: a shared machine's disk says nothing about us. */
async function openTaskHouse(connections: number): Promise<TaskHouse> {
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
