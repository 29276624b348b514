import { createRandom } from "@cloudwright/platform/testing";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { enqueueTasks } from "./enqueue.ts";
import { finishTasks, type FinishDeps } from "./finish.ts";
import { leaseTasks } from "./lease.ts";
import { reapTasks } from "./reap.ts";
import type { LeasedTask } from "./task.ts";
import { findBrokenLines } from "./testing/find-broken-lines.ts";
import { createRequest, createTask, openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
afterAll(() => queue.close());

const entities = Array.from({ length: 30 }, (_, index) => ({ entityUid: createTask().entityUid, project: `p${index % 4}` }));
const tasksPerEntity = 12;

test("M043 M047 eight crashing workers run every task of an entity in order, one at a time, and lose none", async () => {
  const journal = createJournal();
  const deps: FinishDeps = {
    database: queue.pool,
    random: () => 0,
    retryPolicy: { firstSeconds: 0, factor: 1, mostSeconds: 0, jitter: 0 },
  };
  const draw = createRandom(7).next;
  const left = { count: entities.length * tasksPerEntity };
  let crashes = 0;
  let staleAccepted = 0;

  const produce = async (): Promise<void> => {
    for (let nth = 0; nth < tasksPerEntity; nth += 1) {
      await enqueueTasks(
        queue.pool,
        entities.map((entity) => createTask({ ...entity, maxAttempts: 1000 })),
      );
      await yieldToOthers();
    }
  };
  const finish = async (leased: readonly LeasedTask[]): Promise<void> => {
    for (const task of leased) journal.stop(task);
    const ends = leased.map(({ uid, leaseToken }) => ({ uid, leaseToken, outcome: { state: "done" } as const }));
    const finished = await finishTasks(deps, ends);
    for (const { accepted } of finished) expect(accepted).toBe(true);
    left.count -= finished.length;
  };
  /** Simulates a worker that dies. Its lease expires, the reaper takes the task back, and the worker then reports success too late. */
  const crash = async (task: LeasedTask): Promise<void> => {
    crashes += 1;
    journal.stop(task);
    await queue.query("update task_line set leased_until = clock_timestamp() - interval '1 second' where lease_token = $1", [
      task.leaseToken,
    ]);
    await reapTasks(deps, 0);
    const [late] = await finishTasks(deps, [{ uid: task.uid, leaseToken: task.leaseToken, outcome: { state: "done" } }]);
    if (late?.accepted === true) staleAccepted += 1;
  };
  const work = async (pool = queue.openPool()): Promise<void> => {
    while (left.count > 0) {
      const leased = await leaseTasks(pool, createRequest({ lanes: { long: 1 + Math.floor(draw() * 4), short: 0 } }));
      for (const task of leased) journal.start(task);
      await yieldToOthers();
      const dying = leased.filter(() => draw() < 0.1);
      await finish(leased.filter((task) => !dying.includes(task)));
      for (const task of dying) await crash(task);
    }
  };
  await Promise.all([produce(), ...Array.from({ length: 8 }, () => work())]);

  expect(crashes).toBeGreaterThan(0);
  expect(staleAccepted).toBe(0);
  expect(journal.overlaps).toEqual([]);
  const rows = await queue.query<{ uid: string; entity_uid: string; state: string }>(
    "select uid, entity_uid, state from task_state order by position",
  );
  expect(rows.filter(({ state }) => state !== "done")).toEqual([]);
  for (const { entityUid } of entities) {
    expect(journal.listStarted(entityUid)).toEqual(rows.filter((row) => row.entity_uid === entityUid).map(({ uid }) => uid));
  }
  expect(await findBrokenLines(queue)).toEqual([]);
}, 60_000);

test("M043 a task that is enqueued just as its predecessor ends is never skipped", async () => {
  for (let round = 0; round < 100; round += 1) {
    const [first] = await queue.enqueue({ project: "race" });
    const leased = await queue.leaseOne({ projects: ["race"] });
    const second = createTask({ project: "race", entityUid: first?.entityUid ?? "" });
    await Promise.all([queue.end(leased), enqueueTasks(queue.pool, [second])]);
    expect(await queue.readState(second.uid)).toBe("ready");
    await queue.end(await queue.leaseOne({ projects: ["race"] }));
  }
});

test("M043 the end of a task waits for a concurrent enqueue", async () => {
  const [first] = await queue.enqueue({ project: "slow" });
  const leased = await queue.leaseOne({ projects: ["slow"] });
  const second = createTask({ project: "slow", entityUid: first?.entityUid ?? "" });
  const ending = await queue.pool.transaction(async (database) => {
    await enqueueTasks(database, [second]);
    const end = queue.end(leased);
    const blocked =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%finish_tasks%'";
    await Promise.race([end, vi.waitFor(async () => expect(await queue.query(blocked)).toHaveLength(1), { timeout: 60_000 })]);
    return { end };
  });
  expect(await ending.end).toMatchObject({ accepted: true });
  expect(await queue.readState(second.uid)).toBe("ready");
});

test("M043 the first tasks of an entity, enqueued concurrently, all run in the order of their positions", async () => {
  const { entityUid } = createTask();
  await Promise.all(
    Array.from({ length: 12 }, () =>
      enqueueTasks(
        queue.pool,
        [1, 2].map(() => createTask({ project: "first", entityUid })),
      ),
    ),
  );
  const order = [];
  for (let nth = 0; nth < 24; nth += 1) {
    const leased = await queue.leaseOne({ projects: ["first"] });
    order.push(leased.uid);
    await queue.end(leased);
  }
  const rows = await queue.query<{ uid: string }>("select uid from task where entity_uid = $1 order by position", [entityUid]);
  expect(order).toEqual(rows.map(({ uid }) => uid));
});

/** Records what the workers did, to check for overlaps and verify the order of tasks. */
function createJournal() {
  const running = new Map<string, string>();
  const started = new Map<string, string[]>();
  const overlaps: string[] = [];
  return {
    overlaps,
    start({ entityUid, uid }: LeasedTask) {
      if (running.has(entityUid)) overlaps.push(`${uid} beside ${running.get(entityUid)}`);
      running.set(entityUid, uid);
      const order = started.get(entityUid) ?? [];
      started.set(entityUid, order);
      if (order.at(-1) !== uid) order.push(uid);
    },
    stop: ({ entityUid }: LeasedTask) => void running.delete(entityUid),
    listStarted: (entityUid: string) => started.get(entityUid) ?? [],
  };
}
