import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { leaseTasks } from "./lease.ts";
import { createRequest, createTask, openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

describe("M043 a lease", () => {
  test("contains the task as it was enqueued, a token, and its expiry by the database's clock", async () => {
    const [enqueued] = await queue.enqueue({
      accountUid: createTask().uid,
      operationUid: createTask().uid,
      payload: { deep: [1, null, "ä"] },
      placement: { cloud: "aws" },
    });
    const leased = await queue.leaseOne({ labels: { cloud: "aws" }, leaseSeconds: 60 });
    const { key: _, ...task } = enqueued ?? createTask();
    expect(leased).toEqual({ ...task, attempt: 1, leaseToken: expect.any(String), leaseExpiresAt: expect.any(String) });
    const [row] = await queue.query<{ ok: boolean }>(
      "select $1::timestamptz between now() and now() + interval '60 seconds' as ok",
      [leased.leaseExpiresAt],
    );
    expect(row?.ok).toBe(true);
  });

  test("is granted once", async () => {
    await queue.enqueue({});
    expect(await queue.lease()).toHaveLength(1);
    expect(await queue.lease()).toEqual([]);
  });

  test("is not granted for an entity with a leased task", async () => {
    const { entityUid } = createTask();
    const [, second] = await queue.enqueue({ entityUid }, { entityUid });
    const first = await queue.leaseOne();
    expect(await queue.lease()).toEqual([]);
    await queue.end(first);
    expect(await queue.lease()).toMatchObject([{ uid: second?.uid }]);
  });

  test("is granted for the most urgent task first, then for the oldest", async () => {
    const tasks = await queue.enqueue({ priority: 0 }, { priority: 5 }, { priority: 5 }, { priority: -1 });
    const order = [];
    for (let nth = 0; nth < tasks.length; nth += 1) order.push((await queue.leaseOne()).uid);
    expect(order).toEqual([1, 2, 0, 3].map((index) => tasks[index]?.uid));
  });

  test("is granted for the account with the most urgent task first", async () => {
    const [accountA, accountB] = [createTask().uid, createTask().uid];
    const [low, high] = await queue.enqueue({ accountUid: accountA, priority: 1 }, { accountUid: accountB, priority: 2 });
    expect((await queue.leaseOne()).uid).toBe(high?.uid);
    expect((await queue.leaseOne()).uid).toBe(low?.uid);
  });
});

describe("M043 an agent gets only", () => {
  test("tasks that match its labels", async () => {
    const [aws, both] = await queue.enqueue({ placement: { cloud: "aws" } }, { placement: { cloud: "gcp", region: "eu" } });
    expect(await queue.lease({ labels: { cloud: "azure" } })).toEqual([]);
    expect(await queue.lease({ labels: { cloud: "gcp" } })).toEqual([]);
    expect(await queue.lease({ labels: { cloud: "gcp", region: "eu", zone: "a" } })).toMatchObject([{ uid: both?.uid }]);
    expect(await queue.lease({ labels: { cloud: ["gcp", "aws"], region: "eu" } })).toMatchObject([{ uid: aws?.uid }]);
  });

  test("types for which it has handlers", async () => {
    const [apply] = await queue.enqueue({ type: "network.apply" });
    expect(await queue.lease({ types: ["cluster.apply"] })).toEqual([]);
    expect(await queue.lease({ types: ["cluster.apply", "network.apply"] })).toMatchObject([{ uid: apply?.uid }]);
  });

  test("payload versions that its release can read", async () => {
    const [task] = await queue.enqueue({ payloadVersion: 3 });
    expect(await queue.lease({ payloadVersions: { min: 1, max: 2 } })).toEqual([]);
    expect(await queue.lease({ payloadVersions: { min: 4, max: 9 } })).toEqual([]);
    expect(await queue.lease({ payloadVersions: { min: 2, max: 3 } })).toMatchObject([{ uid: task?.uid }]);
  });

  test("tasks of projects for which it may work", async () => {
    const [task] = await queue.enqueue({ project: "b" });
    expect(await queue.lease({ projects: [] })).toEqual([]);
    expect(await queue.lease({ projects: ["a", "c"] })).toEqual([]);
    expect(await queue.lease({ projects: ["a", "b"] })).toMatchObject([{ uid: task?.uid }]);
  });

  test("tasks that are not queued behind others that it cannot take", async () => {
    const [, mine] = await queue.enqueue({ type: "network.apply", priority: 9 }, { type: "cluster.apply" });
    expect(await queue.lease({ types: ["cluster.apply"] })).toMatchObject([{ uid: mine?.uid }]);
  });
});

test("M043 demands that another process added are learned during a lease", async () => {
  const other = queue.openPool();
  const request = createRequest({ labels: { cloud: "aws" }, lanes: { long: 10, short: 0 } });
  expect(await leaseTasks(other, request)).toEqual([]);
  await queue.enqueue({ placement: { cloud: "aws" }, type: "brand.new" }, { placement: { cloud: "gcp" }, type: "brand.new" });
  expect(await leaseTasks(other, request)).toMatchObject([{ type: "brand.new", placement: { cloud: "aws" } }]);
});

describe("M050 long and short work", () => {
  test("have separate slots", async () => {
    await queue.enqueue(...Array.from({ length: 5 }, () => ({ lane: "long" as const })), { lane: "short" });
    const leased = await queue.lease({ lanes: { long: 2, short: 2 } });
    expect(leased.map(({ lane }) => lane).toSorted()).toEqual(["long", "long", "short"]);
  });

  test("do not wait for each other's quota", async () => {
    await queue.enqueue({ lane: "long" }, { lane: "long" }, { lane: "short" });
    expect(await queue.lease({ lanes: { long: 9, short: 0 }, projectQuota: 1 })).toHaveLength(1);
    expect(await queue.lease({ lanes: { long: 9, short: 9 }, projectQuota: 1 })).toMatchObject([{ lane: "short" }]);
  });

  test("that was not requested is not leased", async () => {
    await queue.enqueue({ lane: "long" }, { lane: "short" });
    expect(await queue.lease({ lanes: { long: 0, short: 0 } })).toEqual([]);
  });
});
