import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { finishTogether, type ReportedEnd } from "./finish-together.ts";
import type { LeasedTask } from "./task.ts";
import { openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const agentUid = createUid(systemClock.now());

function report({ uid, leaseToken }: LeasedTask, part: Partial<ReportedEnd> = {}): ReportedEnd {
  return { uid, leaseToken, agentUid, outcome: { state: "done" }, lines: [{ seq: 1, line: `end of ${uid}` }], ...part };
}

async function leaseMany(count: number): Promise<LeasedTask[]> {
  await queue.enqueue(...Array.from({ length: count }, () => ({})));
  return queue.lease({ agentUid, lanes: { long: count, short: 0 } });
}

describe("M045 attempts whose ends are reported at the same time", () => {
  test("all end and keep the last lines of their logs", async () => {
    const tasks = await leaseMany(20);
    const finished = await Promise.all(tasks.map((task) => finishTogether(queue.pool, report(task))));
    expect(finished.map(({ accepted }) => accepted)).toEqual(tasks.map(() => true));
    expect(await queue.query("select from task_line")).toEqual([]);
    const lines = await queue.query<{ line: string }>("select line from task_log");
    expect(lines.map(({ line }) => line).toSorted()).toEqual(tasks.map(({ uid }) => `end of ${uid}`).toSorted());
  });

  test("M047 are accepted only from the agent that holds the lease, with its token", async () => {
    const [task] = (await leaseMany(1)) as [LeasedTask];
    const [stranger, stale, holder] = await Promise.all([
      finishTogether(queue.pool, report(task, { agentUid: createUid(systemClock.now()), outcome: { state: "cancelled" } })),
      finishTogether(queue.pool, report(task, { leaseToken: createUid(systemClock.now()), outcome: { state: "cancelled" } })),
      finishTogether(queue.pool, report(task)),
    ]);
    expect([stranger.accepted, stale.accepted, holder.accepted]).toEqual([false, false, true]);
    expect(await queue.readState(task.uid)).toBe("done");
  });

  test("M047 are accepted only once, even if they are reported several times", async () => {
    const [task] = (await leaseMany(1)) as [LeasedTask];
    const finished = await Promise.all([1, 2, 3].map(() => finishTogether(queue.pool, report(task))));
    expect(finished.filter(({ accepted }) => accepted)).toHaveLength(1);
    expect(await queue.readState(task.uid)).toBe("done");
  });
});
