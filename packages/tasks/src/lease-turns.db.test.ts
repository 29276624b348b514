import { systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { enqueueTasks } from "./enqueue.ts";
import { findLeaseTurns } from "./lease-turns.ts";
import { requestLeases, type LeaseRequest, type Leases } from "./lease.ts";
import type { AgentPermissions } from "./placement.ts";
import { createRequest, createTask, openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

function createTestSignal() {
  let version = 0;
  return {
    version: () => version,
    notify: () => void (version += 1),
    subscribe: () => () => undefined,
    close: async () => undefined,
  };
}

const request = createRequest({ lanes: { long: 2, short: 0 } });

describe("M054 agents that wait for the same tasks", () => {
  test("do not query again after one of them found nothing, until a notification arrives", async () => {
    const signal = createTestSignal();
    const turns = findLeaseTurns({ signal, clock: systemClock });
    const ask = vi.fn<() => Promise<Leases>>(() => requestLeases(queue.pool, request));
    await Promise.all(Array.from({ length: 8 }, () => turns.take(request, ask)));
    expect(ask).toHaveBeenCalledTimes(1);
    await enqueueTasks(queue.pool, [createTask(), createTask(), createTask()]);
    signal.notify();
    const taken = await Promise.all(Array.from({ length: 8 }, () => turns.take(request, ask)));
    expect(taken.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 0, 1, 2]);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  test("query even if agents with fewer abilities found nothing", async () => {
    const signal = createTestSignal();
    const turns = findLeaseTurns({ signal, clock: systemClock });
    await enqueueTasks(queue.pool, [createTask()]);
    const take = (wanted: LeaseRequest) => turns.take(wanted, () => requestLeases(queue.pool, wanted));
    expect(await take({ ...request, types: ["nothing"] })).toEqual([]);
    expect(await take({ ...request, lanes: { long: 0, short: 1 } })).toEqual([]);
    expect(await take(request)).toHaveLength(1);
  });

  test("X062 query even if agents with the same labels and fewer permissions found nothing", async () => {
    const turns = findLeaseTurns({ signal: createTestSignal(), clock: systemClock });
    const take = (permissions: AgentPermissions) => {
      const wanted = { ...request, ...permissions };
      return turns.take(wanted, () => requestLeases(queue.pool, wanted));
    };
    await enqueueTasks(queue.pool, [createTask({ placement: { identity: "default/u-1" } })]);
    expect(await take({})).toEqual([]);
    expect(await take({ identity: { projects: ["default"], accounts: [] } })).toHaveLength(1);
    await enqueueTasks(queue.pool, [createTask({ placement: { backend: "pooled" } })]);
    expect(await take({ withheldBackends: ["pooled"] })).toEqual([]);
    expect(await take({ withheldBackends: [] })).toHaveLength(1);
  });

  test("query again after a while, because a notification can be lost", async () => {
    const signal = createTestSignal();
    let nowMs = 0;
    const turns = findLeaseTurns({ signal, clock: { ...systemClock, now: () => nowMs } });
    const take = () => turns.take(request, () => requestLeases(queue.pool, request));
    expect(await take()).toEqual([]);
    await enqueueTasks(queue.pool, [createTask()]);
    expect(await take()).toEqual([]);
    nowMs = 1000;
    expect(await take()).toHaveLength(1);
  });

  test("do not rely on an agent that is gone or whose query failed", async () => {
    const turns = findLeaseTurns({ signal: createTestSignal(), clock: systemClock });
    await enqueueTasks(queue.pool, [createTask()]);
    const gone = turns.take(request, async () => undefined);
    const failing = turns.take(request, () => Promise.reject(new Error("lost")));
    const asking = turns.take(request, () => requestLeases(queue.pool, request));
    expect(await gone).toEqual([]);
    await expect(failing).rejects.toThrow("lost");
    expect(await asking).toHaveLength(1);
  });
});
