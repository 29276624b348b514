import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { leaseTasks } from "./lease.ts";
import type { LeasedTask, TaskInsert } from "./task.ts";
import { createRequest, createTask, openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const repeat = (count: number, task: Partial<TaskInsert>): Partial<TaskInsert>[] => Array.from({ length: count }, () => task);

describe("M050 a project's quota", () => {
  test("limits its leased tasks, and ended tasks free capacity", async () => {
    await queue.enqueue(...repeat(5, { project: "a" }), ...repeat(2, { project: "b" }));
    const request = { lanes: { long: 9, short: 0 }, projectQuota: 2 };
    const first = await queue.lease(request);
    expect(first.map(({ project }) => project).toSorted()).toEqual(["a", "a", "b", "b"]);
    expect(await queue.lease(request)).toEqual([]);
    await queue.end(first.find(({ project }) => project === "a") as LeasedTask);
    expect(await queue.lease(request)).toMatchObject([{ project: "a" }]);
  });

  test("is never exceeded by concurrent leases", async () => {
    await queue.enqueue(...repeat(60, { project: "a" }), ...repeat(60, { project: "b" }));
    await race({ projectQuota: 7 }, (leased) => expect(countBy(leased, ({ project }) => project)).toEqual({ a: 7, b: 7 }));
  });
});

describe("X021 an account's budget", () => {
  test("limits its leased tasks in both lanes, and no others", async () => {
    const [tight, other] = [createTask().uid, createTask().uid];
    await queue.enqueue(
      ...repeat(3, { accountUid: tight }),
      ...repeat(3, { accountUid: tight, lane: "short" }),
      { accountUid: other },
      {},
    );
    const leased = await queue.lease({ lanes: { long: 9, short: 9 }, accountBudget: 2 });
    expect(countBy(leased, ({ accountUid }) => accountUid ?? "none")).toEqual({ [tight]: 2, [other]: 1, none: 1 });
  });

  test("does not delay tasks of other accounts in the project", async () => {
    const [tight, other] = [createTask().uid, createTask().uid];
    await queue.enqueue(...repeat(9, { accountUid: tight, priority: 9 }), ...repeat(2, { accountUid: other }));
    await queue.lease({ lanes: { long: 1, short: 0 }, accountBudget: 1 });
    const leased = await queue.lease({ lanes: { long: 3, short: 0 }, accountBudget: 1 });
    expect(leased.map(({ accountUid }) => accountUid)).toEqual([other]);
  });

  test("is never exceeded by concurrent leases", async () => {
    const accounts = [createTask().uid, createTask().uid];
    await queue.enqueue(...accounts.flatMap((accountUid) => repeat(60, { accountUid })));
    const expected = Object.fromEntries(accounts.map((accountUid) => [accountUid, 5]));
    await race({ accountBudget: 5 }, (leased) => expect(countBy(leased, ({ accountUid }) => accountUid ?? "")).toEqual(expected));
  });
});

/**
 * Lets eight agents in two processes lease tasks concurrently, in several rounds. Each round checks the leases and hands the tasks back.
 */
async function race(
  limits: { projectQuota?: number; accountBudget?: number },
  judge: (leased: readonly LeasedTask[]) => void,
): Promise<void> {
  const pools = [queue.pool, queue.openPool()];
  for (let round = 0; round < 10; round += 1) {
    const calls = Array.from({ length: 8 }, (_, index) =>
      leaseTasks(pools[index % 2] ?? queue.pool, createRequest({ ...limits, lanes: { long: 3, short: 0 } })),
    );
    const leased = (await Promise.all(calls)).flat();
    // A concurrent call may skip tasks that another call has locked, so one more call leases the remaining tasks.
    leased.push(...(await queue.lease({ ...limits, lanes: { long: 99, short: 0 } })));
    judge(leased);
    expect(new Set(leased.map(({ uid }) => uid)).size).toBe(leased.length);
    expect(leased.map(({ attempt }) => attempt)).toEqual(leased.map(() => 1));
    for (const task of leased) await queue.end(task, { state: "returned" });
  }
}

function countBy<Value>(values: readonly Value[], name: (value: Value) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[name(value)] = (counts[name(value)] ?? 0) + 1;
  return counts;
}
