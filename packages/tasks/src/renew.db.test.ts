import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { cancelTasks } from "./cancel.ts";
import { extendAllLeases } from "./extend-leases.ts";
import { reapTasks } from "./reap.ts";
import { renewTasks } from "./renew.ts";
import { openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const reap = (graceSeconds: number) => reapTasks({ database: queue.pool, random: () => 0 }, graceSeconds);

/** Shifts the expiry of all leases, because tests cannot advance the database's clock. */
async function moveLeases(seconds: number): Promise<void> {
  await queue.query(
    "update task_line set leased_until = clock_timestamp() + make_interval(secs => $1) where lease_token is not null",
    [seconds],
  );
}

test("M047 a heartbeat renews its leases, stores progress, and reports lost leases", async () => {
  await queue.enqueue({}, {});
  const [one, other] = [await queue.leaseOne(), await queue.leaseOne()];
  await queue.end(other);
  await moveLeases(1);
  const renewals = [
    { uid: one.uid, leaseToken: one.leaseToken, progress: { percent: 40, message: "subnets" } },
    { uid: other.uid, leaseToken: other.leaseToken },
  ];
  const renewed = await renewTasks(queue.pool, renewals, 60);
  expect(renewed).toEqual([
    { uid: one.uid, accepted: true, leaseExpiresAt: expect.any(String), cancelReason: undefined, changed: true },
    { uid: other.uid, accepted: false },
  ]);
  const rows = await queue.query("select progress, leased_until > now() + interval '50 seconds' as renewed from task_line");
  expect(rows).toEqual([{ progress: { percent: 40, message: "subnets" }, renewed: true }]);
});

test("M047 a heartbeat without progress keeps the last progress", async () => {
  await queue.enqueue({});
  const { uid, leaseToken } = await queue.leaseOne();
  await renewTasks(queue.pool, [{ uid, leaseToken, progress: { percent: 10 } }], 60);
  await renewTasks(queue.pool, [{ uid, leaseToken }], 60);
  expect(await queue.query("select progress from task_line")).toEqual([{ progress: { percent: 10 } }]);
});

test("M047 a stale lease cannot be renewed", async () => {
  await queue.enqueue({});
  const stale = await queue.leaseOne();
  await queue.end(stale, { state: "returned" });
  const current = await queue.leaseOne();
  await moveLeases(1);
  for (const leaseToken of [stale.leaseToken, randomUUID(), "no token"]) {
    expect(await renewTasks(queue.pool, [{ uid: stale.uid, leaseToken }], 60)).toEqual([{ uid: stale.uid, accepted: false }]);
  }
  expect(
    await queue.query("select lease_token, leased_until < now() + interval '10 seconds' as untouched from task_line"),
  ).toEqual([{ lease_token: current.leaseToken, untouched: true }]);
});

test("M052 a heartbeat reports that the task is cancelled", async () => {
  await queue.enqueue({});
  const { uid, leaseToken } = await queue.leaseOne();
  await cancelTasks(queue.pool, { uids: [uid] }, { reason: "no longer wanted", running: "stop" });
  expect(await renewTasks(queue.pool, [{ uid, leaseToken }], 60)).toMatchObject([
    { accepted: true, cancelReason: "no longer wanted" },
  ]);
});

test("M047 the reaper waits for the grace period, then gives the task to another agent", async () => {
  const [task] = await queue.enqueue({});
  const dead = await queue.leaseOne();
  await moveLeases(-9);
  expect(await reap(10)).toEqual([]);
  expect(await queue.readState(task?.uid ?? "")).toBe("leased");
  await moveLeases(-11);
  expect(await reap(10)).toMatchObject([{ uid: task?.uid, accepted: true, state: "ready" }]);
  await queue.query("update task_line set delayed_until = now()");
  expect(await queue.leaseOne()).toMatchObject({ uid: task?.uid, attempt: 2 });
  expect(await queue.end(dead)).toMatchObject({ accepted: false });
  expect(await queue.query("select attempt, outcome -> 'fault' ->> 'code' as code from task_attempt")).toEqual([
    { attempt: 1, code: "tasks.lease_expired" },
  ]);
});

test("M047 a lease that was renewed in time is not reaped", async () => {
  await queue.enqueue({});
  const { uid, leaseToken } = await queue.leaseOne();
  await moveLeases(-60);
  await renewTasks(queue.pool, [{ uid, leaseToken }], 60);
  expect(await reap(0)).toEqual([]);
  expect(await queue.readState(uid)).toBe("leased");
});

test("M046 a task whose agents keep dying fails once all attempts are used", async () => {
  const [task] = await queue.enqueue({ maxAttempts: 1 });
  await queue.leaseOne();
  await moveLeases(-1);
  expect(await reap(0)).toMatchObject([{ state: "failed" }]);
  expect(await queue.readState(task?.uid ?? "")).toBe("failed");
});

test("M052 a cancelled task whose agent died is not retried", async () => {
  await queue.enqueue({});
  const { uid } = await queue.leaseOne();
  await cancelTasks(queue.pool, { uids: [uid] }, { reason: "stop", running: "stop" });
  await moveLeases(-1);
  expect(await reap(0)).toMatchObject([{ uid, state: "cancelled" }]);
});

test("M047 after downtime, the control plane extends every lease to its full duration, and shortens none", async () => {
  await queue.enqueue({}, {}, {});
  const [early] = await queue.lease({ lanes: { long: 2, short: 0 }, leaseSeconds: 60 });
  await moveLeases(-30);
  await renewTasks(queue.pool, [{ uid: early?.uid ?? "", leaseToken: early?.leaseToken ?? "" }], 3600);
  expect(await extendAllLeases(queue.pool, 60)).toBe(2);
  const rows = await queue.query(
    "select round(extract(epoch from leased_until - now()) / 60)::integer as minutes from task_line where lease_token is not null order by 1",
  );
  expect(rows).toEqual([{ minutes: 1 }, { minutes: 60 }]);
  expect(await reap(0)).toEqual([]);
});
