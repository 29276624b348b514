import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cancelTasks } from "./cancel.ts";
import { createTask, lastingFault, openTestQueue, passingFault, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const stop = { reason: "replaced", running: "stop" } as const;
const leave = { reason: "replaced", running: "leave" } as const;

const readStates = (tasks: readonly { uid: string }[]) => Promise.all(tasks.map(({ uid }) => queue.readState(uid)));

describe("M052 cancelling", () => {
  test("removes a ready task, and the next task of its entity becomes ready", async () => {
    const { entityUid } = createTask();
    const tasks = await queue.enqueue({ entityUid }, { entityUid });
    expect(await cancelTasks(queue.pool, { uids: [tasks[0]?.uid ?? ""] }, stop)).toEqual([
      { uid: tasks[0]?.uid, entityUid, state: "cancelled" },
    ]);
    expect(await readStates(tasks)).toEqual(["cancelled", "ready"]);
    expect((await queue.leaseOne()).uid).toBe(tasks[1]?.uid);
  });

  test("removes a waiting task, and the queue closes the gap", async () => {
    const { entityUid } = createTask();
    const tasks = await queue.enqueue({ entityUid }, { entityUid }, { entityUid });
    await cancelTasks(queue.pool, { uids: [tasks[1]?.uid ?? ""] }, stop);
    expect(await readStates(tasks)).toEqual(["ready", "cancelled", "waiting"]);
    await queue.end(await queue.leaseOne());
    expect((await queue.leaseOne()).uid).toBe(tasks[2]?.uid);
  });

  test("asks the agent of a leased task to stop, and the task ends as the agent reports", async () => {
    const [task] = await queue.enqueue({});
    const leased = await queue.leaseOne();
    expect(await cancelTasks(queue.pool, { uids: [leased.uid] }, stop)).toMatchObject([{ uid: leased.uid, state: "leased" }]);
    expect(await queue.readState(leased.uid)).toBe("leased");
    expect(await queue.end(leased, { state: "cancelled" })).toMatchObject({ state: "cancelled" });
    expect(await queue.query("select cancel_reason from task_state where uid = $1", [task?.uid])).toEqual([
      { cancel_reason: "replaced" },
    ]);
  });

  test.for([
    { outcome: { state: "done" }, state: "done" },
    { outcome: { state: "returned" }, state: "cancelled" },
    { outcome: passingFault, state: "cancelled" },
    { outcome: lastingFault, state: "failed" },
  ] as const)("a leased task whose agent then reports $outcome.state is $state and never retried", async ({ outcome, state }) => {
    await queue.enqueue({});
    const leased = await queue.leaseOne();
    await cancelTasks(queue.pool, { uids: [leased.uid] }, stop);
    expect(await queue.end(leased, outcome)).toMatchObject({ state });
    expect(await queue.lease()).toEqual([]);
  });

  test("all tasks of an entity leaves running ones alone on request", async () => {
    const { entityUid } = createTask();
    const tasks = await queue.enqueue({ entityUid }, { entityUid }, { entityUid }, {});
    const leased = await queue.leaseOne();
    expect(leased.uid).toBe(tasks[0]?.uid);
    expect(await cancelTasks(queue.pool, { entityUids: [entityUid] }, leave)).toHaveLength(2);
    expect(await readStates(tasks)).toEqual(["leased", "cancelled", "cancelled", "ready"]);
    expect(await queue.end(leased)).toMatchObject({ state: "done" });
    expect(await queue.query("select cancel_reason from task_state where uid = $1", [leased.uid])).toEqual([
      { cancel_reason: "" },
    ]);
  });

  test("all tasks of an operation does not affect others", async () => {
    const { entityUid } = createTask();
    const operationUid = createTask().uid;
    const tasks = await queue.enqueue({ entityUid, operationUid }, { entityUid }, { entityUid, operationUid }, { operationUid });
    await cancelTasks(queue.pool, { operationUids: [operationUid] }, stop);
    expect(await readStates(tasks)).toEqual(["cancelled", "ready", "cancelled", "cancelled"]);
  });

  test("a task that is delayed for another attempt removes it", async () => {
    const [task] = await queue.enqueue({});
    await queue.end(await queue.leaseOne(), passingFault);
    await cancelTasks(queue.pool, { uids: [task?.uid ?? ""] }, stop);
    expect(await queue.readState(task?.uid ?? "")).toBe("cancelled");
    expect(await queue.query("select from task_line")).toEqual([]);
  });

  test("a task that has ended or never existed does nothing", async () => {
    const [task] = await queue.enqueue({});
    await queue.end(await queue.leaseOne());
    await queue.query("truncate due");
    expect(await cancelTasks(queue.pool, { uids: [task?.uid ?? "", createTask().uid] }, stop)).toEqual([]);
    expect(await queue.readState(task?.uid ?? "")).toBe("done");
    expect(await queue.query("select from due")).toEqual([]);
  });

  test("wakes the entity", async () => {
    const [task] = await queue.enqueue({});
    await cancelTasks(queue.pool, { uids: [task?.uid ?? ""] }, stop);
    expect(await queue.query("select entity_uid from due")).toEqual([{ entity_uid: task?.entityUid }]);
  });

  test("a task twice keeps the first reason", async () => {
    await queue.enqueue({});
    const { uid } = await queue.leaseOne();
    await cancelTasks(queue.pool, { uids: [uid] }, { reason: "first", running: "stop" });
    await cancelTasks(queue.pool, { uids: [uid] }, { reason: "second", running: "stop" });
    expect(await queue.query("select cancel_reason from task_line")).toEqual([{ cancel_reason: "first" }]);
  });

  test("leaves earlier cancelled tasks unchanged", async () => {
    const { entityUid } = createTask();
    const tasks = await queue.enqueue({ entityUid }, { entityUid });
    await cancelTasks(queue.pool, { uids: [tasks[1]?.uid ?? ""] }, { reason: "first", running: "stop" });
    expect(await cancelTasks(queue.pool, { entityUids: [entityUid] }, { reason: "second", running: "stop" })).toHaveLength(1);
    expect(await queue.query("select cancel_reason from task order by position")).toEqual([
      { cancel_reason: "second" },
      { cancel_reason: "first" },
    ]);
  });
});
