import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { finishTask, finishTasks } from "./finish.ts";
import { createTask, lastingFault, openTestQueue, passingFault, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

describe("M045 an ended task", () => {
  test.for([
    { outcome: { state: "done", result: { endpoint: "x" } }, state: "done" },
    { outcome: { state: "cancelled" }, state: "cancelled" },
    { outcome: lastingFault, state: "failed" },
  ] as const)("is $state, keeps its outcome and makes the next task ready", async ({ outcome, state }) => {
    const { entityUid } = createTask();
    const [first, second] = await queue.enqueue({ entityUid }, { entityUid });
    const leased = await queue.leaseOne();
    expect(await queue.end(leased, outcome)).toEqual({ uid: first?.uid, accepted: true, entityUid, state });
    const [row] = await queue.query(
      "select state, outcome, attempt, agent_uid is not null as agent, ended_at >= started_at as timed from task_state where uid = $1",
      [first?.uid],
    );
    expect(row).toEqual({ state, outcome, attempt: 1, agent: true, timed: true });
    expect((await queue.leaseOne()).uid).toBe(second?.uid);
  });

  test("wakes its entity, every time", async () => {
    const { entityUid } = createTask();
    await queue.enqueue({ entityUid }, { entityUid });
    await queue.end(await queue.leaseOne());
    await queue.end(await queue.leaseOne());
    expect(await queue.query("select entity_uid, wakes, due_at <= now() as due from due")).toEqual([
      { entity_uid: entityUid, wakes: "2", due: true },
    ]);
  });

  test("leaves no queue entry behind if nothing follows", async () => {
    await queue.enqueue({});
    await queue.end(await queue.leaseOne());
    expect(await queue.query("select from task_line")).toEqual([]);
  });

  test("is one of several that end together, each with its own outcome", async () => {
    const tasks = await queue.enqueue({}, {}, {}, { maxAttempts: 1 });
    const leased = await queue.lease({ lanes: { long: 4, short: 0 } });
    const outcomes = [{ state: "done" }, lastingFault, passingFault, passingFault] as const;
    const ends = leased.map(({ uid, leaseToken }) => ({
      uid,
      leaseToken,
      outcome: outcomes[tasks.findIndex((task) => task.uid === uid)] ?? lastingFault,
    }));
    await finishTasks({ database: queue.pool, random: () => 0 }, ends);
    expect(await Promise.all(tasks.map(({ uid }) => queue.readState(uid)))).toEqual(["done", "failed", "ready", "failed"]);
  });
});

describe("M047 a stale lease", () => {
  test("cannot complete a task that another agent holds", async () => {
    await queue.enqueue({});
    const stale = await queue.leaseOne();
    await queue.end(stale, { state: "returned" });
    const current = await queue.leaseOne();
    expect(current.uid).toBe(stale.uid);
    expect(await queue.end(stale)).toEqual({ uid: stale.uid, accepted: false });
    expect(await queue.readState(stale.uid)).toBe("leased");
    expect(await queue.end(current)).toMatchObject({ accepted: true, state: "done" });
  });

  test("cannot complete a task that has ended, nor wake its entity", async () => {
    await queue.enqueue({});
    const leased = await queue.leaseOne();
    await queue.end(leased, lastingFault);
    await queue.query("truncate due");
    expect(await queue.end(leased)).toMatchObject({ accepted: false });
    expect(await queue.readState(leased.uid)).toBe("failed");
    expect(await queue.query("select from due")).toEqual([]);
  });

  test("cannot complete a task with the token of another task", async () => {
    await queue.enqueue({}, {});
    const [one, other] = await queue.lease({ lanes: { long: 2, short: 0 } });
    const deps = { database: queue.pool, random: () => 0 };
    const outcome = { state: "done" } as const;
    expect(await finishTask(deps, { uid: one?.uid ?? "", leaseToken: other?.leaseToken ?? "", outcome })).toMatchObject({
      accepted: false,
    });
  });

  test.for([
    { uid: randomUUID(), leaseToken: randomUUID() },
    { uid: "' or 1=1", leaseToken: randomUUID() },
    { uid: randomUUID(), leaseToken: "" },
  ])("that never existed is rejected: %j", async (lease) => {
    await queue.enqueue({});
    expect(await finishTask({ database: queue.pool, random: () => 0 }, { ...lease, outcome: { state: "done" } })).toEqual({
      uid: lease.uid,
      accepted: false,
    });
  });

  test("cannot complete a task that no agent holds", async () => {
    const [task] = await queue.enqueue({});
    const nobody = await finishTask(
      { database: queue.pool, random: () => 0 },
      { uid: task?.uid ?? "", leaseToken: randomUUID(), outcome: { state: "done" } },
    );
    expect(nobody).toMatchObject({ accepted: false });
    expect(await queue.readState(task?.uid ?? "")).toBe("ready");
  });
});

describe("M046 a failed attempt", () => {
  test("is retried after its delay, before any other task of its entity", async () => {
    const { entityUid } = createTask();
    const [first] = await queue.enqueue({ entityUid }, { entityUid });
    expect(await queue.end(await queue.leaseOne(), passingFault)).toMatchObject({ state: "ready" });
    expect(await queue.lease()).toEqual([]);
    await passDelays();
    expect(await queue.leaseOne()).toMatchObject({ uid: first?.uid, attempt: 2 });
  });

  test("waits longer each time, according to the policy", async () => {
    await queue.enqueue({ maxAttempts: 9 });
    const retryPolicy = { firstSeconds: 100, factor: 3, mostSeconds: 500, jitter: 0 };
    const delays = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const { uid, leaseToken } = await queue.leaseOne();
      await finishTask({ database: queue.pool, random: () => 0, retryPolicy }, { uid, leaseToken, outcome: passingFault });
      const [row] = await queue.query<{ delay: number }>(
        "select round(extract(epoch from delayed_until - now()) / 10)::integer * 10 as delay from task_line",
      );
      delays.push(row?.delay);
      await passDelays();
    }
    expect(delays).toEqual([100, 300, 500, 500]);
  });

  test("waits as long as its fault specifies", async () => {
    await queue.enqueue({});
    await queue.end(await queue.leaseOne(), {
      state: "failed",
      fault: { code: "cloud.throttled", message: "", retry: "after", retryAfterMs: 3_600_000 },
    });
    expect(await queue.query("select delayed_until > now() + interval '59 minutes' as later from task_line")).toEqual([
      { later: true },
    ]);
  });

  test("is final once all attempts are used", async () => {
    const [task] = await queue.enqueue({ maxAttempts: 2 });
    await queue.end(await queue.leaseOne(), passingFault);
    await passDelays();
    expect(await queue.end(await queue.leaseOne(), passingFault)).toMatchObject({ state: "failed" });
    expect(await queue.readState(task?.uid ?? "")).toBe("failed");
    expect(await queue.query("select attempt, outcome from task_attempt")).toEqual([{ attempt: 1, outcome: passingFault }]);
  });

  test("is not retried if its fault is permanent", async () => {
    await queue.enqueue({ maxAttempts: 9 });
    expect(await queue.end(await queue.leaseOne(), lastingFault)).toMatchObject({ state: "failed" });
  });

  test("that was handed back does not count, and the task is ready immediately", async () => {
    await queue.enqueue({ maxAttempts: 1 });
    for (let turn = 0; turn < 3; turn += 1) {
      const leased = await queue.leaseOne();
      expect(leased.attempt).toBe(1);
      expect(await queue.end(leased, { state: "returned" })).toMatchObject({ state: "ready" });
    }
    expect(await queue.query("select from task_attempt")).toEqual([]);
  });
});

async function passDelays(): Promise<void> {
  await queue.query("update task_line set delayed_until = now() where delayed_until is not null");
}
