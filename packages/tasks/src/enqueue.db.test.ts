import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { enqueueTasks } from "./enqueue.ts";
import { findTasksByKey } from "./find-tasks-by-key.ts";
import { createTask, openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

test("M043 tasks of one entity form a queue: the first is ready, the others wait", async () => {
  const tasks = [1, 2, 3].map(() => createTask({ entityUid: "0199a000-0000-7000-8000-000000000001" }));
  expect(await enqueueTasks(queue.pool, tasks)).toEqual(tasks.map(({ uid }) => uid));
  expect(await Promise.all(tasks.map(({ uid }) => queue.readState(uid)))).toEqual(["ready", "waiting", "waiting"]);
});

test("M048 equal inputs are enqueued only once, even after the task has ended", async () => {
  const [first, repeated] = [createTask({ key: "once" }), createTask({ key: "once" })];
  expect(await enqueueTasks(queue.pool, [first, repeated])).toEqual([first.uid]);
  await queue.end(await queue.leaseOne());
  expect(await enqueueTasks(queue.pool, [createTask({ key: "once" })])).toEqual([]);
  expect(await queue.lease()).toEqual([]);
  expect(await findTasksByKey(queue.pool, ["once", "never"])).toMatchObject([
    { key: "once", uid: first.uid, state: "done", outcome: { state: "done" } },
  ]);
});

test("M048 another generation of the same entity is enqueued behind the first", async () => {
  const entityUid = createTask().entityUid;
  const [first, second] = await queue.enqueue({ entityUid, key: "generation 1" }, { entityUid, key: "generation 2" });
  const leased = await queue.leaseOne();
  expect(leased.uid).toBe(first?.uid);
  await queue.end(leased);
  expect((await queue.leaseOne()).uid).toBe(second?.uid);
});

test("M048 concurrent tasks with the same key are enqueued exactly once", async () => {
  const inserted = await Promise.all(Array.from({ length: 16 }, () => enqueueTasks(queue.pool, [createTask({ key: "raced" })])));
  expect(inserted.flat()).toHaveLength(1);
  const [lines] = await queue.query<{ count: number }>("select count(*)::integer as count from task_line");
  expect(lines).toEqual({ count: 1 });
});

test("M043 a rolled back task was never enqueued", async () => {
  const task = createTask();
  const work = queue.pool.transaction(async (database) => {
    await enqueueTasks(database, [task]);
    throw new Error("undone");
  });
  await expect(work).rejects.toThrow("undone");
  expect(await queue.readState(task.uid)).toBeUndefined();
  expect(await queue.query("select from task_line")).toEqual([]);
});

test("M043 demands are numbered without gaps, however many are new at once", async () => {
  const types = Array.from({ length: 24 }, (_, index) => `type.${index % 12}`);
  await Promise.all(
    types.map((type) => enqueueTasks(queue.pool, [createTask({ type }), createTask({ type, placement: { cloud: "aws" } })])),
  );
  const ids = (await queue.query<{ id: number }>("select id from task_demand order by id")).map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(24);
  expect(ids).toEqual(ids.map((_, index) => index + 1));
});

test("M043 enqueueing nothing does nothing", async () => {
  expect(await enqueueTasks(queue.pool, [])).toEqual([]);
});
