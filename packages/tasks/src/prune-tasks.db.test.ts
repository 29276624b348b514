import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { cancelTasks } from "./cancel.ts";
import { pruneAllTasks, pruneTaskLogs, pruneTasks } from "./prune-tasks.ts";
import { appendLog } from "./task-log.ts";
import { createTask, lastingFault, openTestQueue, passingFault, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const existing = createTask().entityUid;

async function createEntity(uid: string): Promise<void> {
  await queue.query(
    `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
      values ($1, 'Cluster', 'default', 'blue', '{}', 1, now(), now(), '{}')`,
    [uid],
  );
}

async function age(): Promise<void> {
  await queue.query("update task set ended_at = ended_at - interval '2 days' where ended_at is not null");
}

const day = 24 * 3600;

test("M045 the last task of each type of an entity is kept, so that its inputs do not run again", async () => {
  await createEntity(existing);
  const tasks = await queue.enqueue(...["a", "b", "a"].map((type) => ({ entityUid: existing, type })), {
    entityUid: existing,
    type: "a",
  });
  for (let nth = 0; nth < 3; nth += 1) await queue.end(await queue.leaseOne());
  await age();
  expect(await pruneTasks(queue.pool, day)).toBe(1);
  const kept = await queue.query<{ uid: string }>("select uid from task order by position");
  expect(kept.map(({ uid }) => uid)).toEqual(tasks.slice(1).map(({ uid }) => uid));
});

test("M045 the last successful task of a type is kept, even if many failed after it", async () => {
  await createEntity(existing);
  const tasks = await queue.enqueue(...[1, 2, 3, 4].map(() => ({ entityUid: existing, type: "a" })));
  for (const outcome of [{ state: "done" }, { state: "done" }, lastingFault, lastingFault] as const)
    await queue.end(await queue.leaseOne(), outcome);
  await age();
  expect(await pruneTasks(queue.pool, day)).toBe(2);
  const kept = await queue.query<{ uid: string }>("select uid from task order by position");
  expect(kept.map(({ uid }) => uid)).toEqual([tasks[1]?.uid, tasks[3]?.uid]);
});

test("X010 the last started task of a type is kept, even if many were cancelled after it", async () => {
  await createEntity(existing);
  const [begun] = await queue.enqueue({ entityUid: existing, type: "a" }, { entityUid: existing, type: "a" });
  await queue.end(await queue.leaseOne(), lastingFault);
  await cancelTasks(queue.pool, { entityUids: [existing] }, { reason: "test", running: "leave" });
  await age();
  await pruneTasks(queue.pool, day);
  expect(await queue.query("select from task where uid = $1", [begun?.uid])).toHaveLength(1);
});

test("M045 one call deletes all tasks that are due, regardless of their count", async () => {
  await queue.enqueue({}, {}, {}, {}, {});
  for (let nth = 0; nth < 5; nth += 1) await queue.end(await queue.leaseOne());
  await age();
  expect(await pruneAllTasks(queue.pool, day, 2)).toBe(5);
});

test("M045 all tasks of a deleted entity are deleted, with their attempts and lines", async () => {
  await queue.enqueue({});
  const first = await queue.leaseOne();
  await appendLog(queue.pool, first, [{ seq: 1, line: "x" }]);
  await queue.end(first, passingFault);
  await queue.query("update task_line set delayed_until = now()");
  await queue.end(await queue.leaseOne());
  await age();
  expect(await pruneTasks(queue.pool, day)).toBe(1);
  expect(await queue.query("select from task union all select from task_attempt union all select from task_log")).toEqual([]);
});

test("M045 recent and open tasks are kept", async () => {
  await queue.enqueue({}, {}, {});
  await queue.leaseOne();
  await queue.end(await queue.leaseOne());
  expect(await pruneTasks(queue.pool, day)).toBe(0);
  await age();
  expect(await pruneTasks(queue.pool, day)).toBe(1);
  expect(await queue.query("select state from task_state order by state")).toEqual([{ state: "leased" }, { state: "ready" }]);
});

test("X068 the log of a kept task is deleted after the retention of its entity's kind", async () => {
  await createEntity(existing);
  await queue.enqueue({ entityUid: existing, entityKind: "Cluster" }, { entityKind: "Network" }, { entityKind: "Storage" });
  for (let nth = 0; nth < 3; nth += 1) {
    const task = await queue.leaseOne();
    await appendLog(queue.pool, task, [
      { seq: 1, line: task.entityKind },
      { seq: 2, line: task.entityKind },
    ]);
    await queue.end(task);
  }
  const keep = { "*": day * 1000, Network: undefined, Storage: 3 * day * 1000 };
  expect(await pruneTaskLogs(queue.pool, keep, 1)).toBe(0);
  await age();
  expect(await pruneTaskLogs(queue.pool, keep, 1)).toBe(2);
  expect(await queue.query("select distinct line from task_log order by line")).toEqual([
    { line: "Network" },
    { line: "Storage" },
  ]);
  expect(await queue.query("select from task")).toHaveLength(3);
});
