import { createUid, systemClock } from "@cloudwright/platform";
import { createPool, type Pool } from "@cloudwright/store";
import { createTestDatabase } from "@cloudwright/store/testing";
import { enqueueTasks } from "../enqueue.ts";
import { finishTask, type FinishedTask } from "../finish.ts";
import { leaseTasks, type LeaseRequest } from "../lease.ts";
import type { LeasedTask, TaskInsert, TaskOutcome, TaskState } from "../task.ts";

/** A queue in a test database, with shortcuts for tests. */
export interface TestQueue {
  readonly pool: Pool;
  /** Opens a separate pool that shares no caches with the first one, like another process. */
  openPool(): Pool;
  clear(): Promise<void>;
  enqueue(...tasks: Partial<TaskInsert>[]): Promise<TaskInsert[]>;
  lease(request?: Partial<LeaseRequest>): Promise<LeasedTask[]>;
  leaseOne(request?: Partial<LeaseRequest>): Promise<LeasedTask>;
  end(task: LeasedTask, outcome?: TaskOutcome): Promise<FinishedTask>;
  readState(uid: string): Promise<TaskState | undefined>;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** Creates a task for a new entity. Any agent can take it. */
export function createTask(part: Partial<TaskInsert> = {}): TaskInsert {
  const uid = createUid(systemClock.now());
  return {
    uid,
    key: uid,
    project: "default",
    entityUid: createUid(systemClock.now()),
    entityKind: "Cluster",
    entityName: "blue",
    operationUid: null,
    accountUid: null,
    type: "cluster.apply",
    lane: "long",
    placement: {},
    priority: 0,
    payload: { size: 3 },
    payloadVersion: 1,
    maxAttempts: 3,
    ...part,
  };
}

/** Creates a request for one task per lane, from an agent that supports everything. */
export function createRequest(part: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    agentUid: createUid(systemClock.now()),
    labels: {},
    types: "*",
    payloadVersions: { min: 1, max: 1 },
    lanes: { long: 1, short: 1 },
    projects: undefined,
    leaseSeconds: 60,
    projectQuota: undefined,
    accountBudget: undefined,
    ...part,
  };
}

/** Opens a queue in a new test database. The caller must close it. */
export async function openTestQueue(): Promise<TestQueue> {
  const database = await createTestDatabase();
  const pools: Pool[] = [];
  const openPool = (): Pool => {
    const opened = createPool(database.connection, { size: 10 });
    pools.push(opened);
    return opened;
  };
  const pool = openPool();
  const query: TestQueue["query"] = async (text, values = []) => (await pool.query({ text, values })).rows as never;
  const lease: TestQueue["lease"] = (request) => leaseTasks(pool, createRequest(request));
  return {
    pool,
    openPool,
    query,
    lease,
    async clear() {
      await query("truncate task, task_line, task_attempt, task_log, due, slot_reservation, entity cascade");
    },
    async enqueue(...parts) {
      const tasks = parts.map(createTask);
      await enqueueTasks(pool, tasks);
      return tasks;
    },
    async leaseOne(request) {
      const [task] = await lease({ lanes: { long: 1, short: 0 }, ...request });
      if (task === undefined) throw new Error("no task was leased");
      return task;
    },
    end: ({ uid, leaseToken }, outcome = { state: "done" }) =>
      finishTask({ database: pool, random: () => 0 }, { uid, leaseToken, outcome }),
    async readState(uid) {
      const [row] = await query<{ state: TaskState }>("select state from task_state where uid = $1", [uid]);
      return row?.state;
    },
    async close() {
      for (const opened of pools) await opened.close();
      await database.drop();
    },
  };
}

/** A transient fault, which is retried. */
export const passingFault: TaskOutcome = {
  state: "failed",
  fault: { code: "cloud.throttled", message: "slow down", retry: "backoff" },
};

/** A permanent fault, which is not retried. */
export const lastingFault: TaskOutcome = {
  state: "failed",
  fault: { code: "cloud.denied", message: "not allowed", retry: "never" },
};
