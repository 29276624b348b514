import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openTestQueue, type TestQueue } from "./testing/test-queue.ts";
import { watchLeases } from "./watch-leases.ts";

let queue: TestQueue;
beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const look = (): ReturnType<typeof watchLeases> => watchLeases({ database: queue.pool, random: () => 0 }, 30, 5);
const leftUnwatched = (seconds: number): Promise<unknown> =>
  queue.query("update lease_watch set seen_at = clock_timestamp() - make_interval(secs => $1)", [seconds]);
const letRunOut = (): Promise<unknown> =>
  queue.query("update task_line set leased_until = clock_timestamp() - interval '6 seconds'");

describe("M047 leases are watched", () => {
  test("a lease that expired more than a grace period ago is taken over", async () => {
    await queue.enqueue({});
    const task = await queue.leaseOne();
    await leftUnwatched(1);
    await letRunOut();
    expect(await look()).toEqual({ reaped: 1, extended: 0 });
    expect(await queue.readState(task.uid)).toBe("ready");
  });

  test("M049 after a period without checks, all leases are extended once", async () => {
    await queue.enqueue({});
    const task = await queue.leaseOne();
    await leftUnwatched(60);
    await letRunOut();
    expect(await look()).toEqual({ reaped: 0, extended: 1 });
    expect(await queue.readState(task.uid)).toBe("leased");
    expect(await look()).toEqual({ reaped: 0, extended: 0 });
    expect(await queue.end(task)).toMatchObject({ accepted: true, state: "done" });
  });
});
