import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { reapTasks } from "./reap.ts";
import { renewTasks } from "./renew.ts";
import { openTestQueue, type TestQueue } from "./testing/test-queue.ts";
import { enforceTimeLimits } from "./time-limits.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(async () => {
  await queue.clear();
  await queue.query("truncate task_stop");
});
afterAll(() => queue.close());

const limits = { byLane: { long: 7200, short: 60 }, byType: { "cluster.plan": 600 } };

/** Makes all leased tasks older, because tests cannot advance the database's clock. */
async function age(seconds: number): Promise<void> {
  await queue.query("update task_line set started_at = started_at - make_interval(secs => $1) where lease_token is not null", [
    seconds,
  ]);
  await queue.query("update task_stop set at = at - make_interval(secs => $1)", [seconds]);
}

test("X063 a task that exceeds the limit of its type or lane is cancelled, and its operation can say why", async () => {
  await queue.enqueue({ type: "cluster.apply" }, { type: "cluster.plan" }, { type: "cluster.token", lane: "short" });
  const tasks = await queue.lease({ lanes: { long: 2, short: 1 } });
  const check = async (): Promise<Record<string, string>> => {
    await enforceTimeLimits(queue.pool, limits);
    const renewed = await renewTasks(queue.pool, tasks, 60);
    return Object.fromEntries(
      renewed.map((each, index) => [tasks[index]?.type ?? "", (each.accepted && each.cancelReason) || "running"]),
    );
  };
  expect(await check()).toEqual({ "cluster.apply": "running", "cluster.plan": "running", "cluster.token": "running" });
  await age(61);
  const token = expect.stringMatching(/^cluster.token ran longer than its time limit of 1 min \(tasks.too_long\)/) as string;
  expect(await check()).toEqual({ "cluster.apply": "running", "cluster.plan": "running", "cluster.token": token });
  await age(600);
  const plan = expect.stringContaining("time limit of 10 min") as string;
  expect(await check()).toMatchObject({ "cluster.apply": "running", "cluster.plan": plan });
  await age(7200);
  expect(await check()).toMatchObject({ "cluster.apply": expect.stringContaining("time limit of 2 h") as string });
  const [task] = tasks;
  await queue.end(task!, { state: "cancelled" });
  expect(await queue.query("select cancel_reason from task where uid = $1", [task!.uid])).toEqual([
    { cancel_reason: expect.stringContaining("tasks.too_long") },
  ]);
});

test("X063 an agent that does not stop a task in time loses its lease, and the slot becomes free", async () => {
  await queue.enqueue({});
  const task = await queue.leaseOne();
  await age(8000);
  expect(await enforceTimeLimits(queue.pool, limits)).toEqual({ cancelled: 1, fenced: 0 });
  expect(await enforceTimeLimits(queue.pool, limits)).toEqual({ cancelled: 0, fenced: 0 });
  expect(await renewTasks(queue.pool, [task], 60)).toMatchObject([{ accepted: true }]);
  await age(301);
  expect(await enforceTimeLimits(queue.pool, limits)).toEqual({ cancelled: 0, fenced: 1 });
  expect(await renewTasks(queue.pool, [task], 60)).toEqual([{ uid: task.uid, accepted: false }]);
  await queue.query("update task_line set leased_until = clock_timestamp() - interval '11 seconds'");
  expect(await reapTasks({ database: queue.pool, random: () => 0 }, 10)).toMatchObject([{ uid: task.uid, state: "cancelled" }]);
  expect(await queue.query("select cancel_reason from task")).toEqual([
    { cancel_reason: expect.stringContaining("tasks.too_long") },
  ]);
  expect(await enforceTimeLimits(queue.pool, limits)).toEqual({ cancelled: 0, fenced: 0 });
});
