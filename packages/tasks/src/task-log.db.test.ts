import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { appendLog, readLog } from "./task-log.ts";
import { openTestQueue, passingFault, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const line = (seq: number) => ({ seq, line: `line ${seq}` });

test("M045 lines are stored in order and only once, even if they are sent repeatedly", async () => {
  await queue.enqueue({});
  const lease = await queue.leaseOne();
  expect(await appendLog(queue.pool, lease, [line(1), line(2)])).toBe(true);
  expect(await appendLog(queue.pool, lease, [line(2), { ...line(3), at: "2026-01-01T00:00:00Z" }])).toBe(true);
  const lines = await readLog(queue.pool, { uid: lease.uid, limit: 10 });
  expect(lines.map(({ seq, line: text }) => `${seq} ${text}`)).toEqual(["1 line 1", "2 line 2", "3 line 3"]);
  expect(lines[2]?.at.toISOString()).toBe("2026-01-01T00:00:00.000Z");
});

test("M045 lines are read from a position, for all attempts or for one", async () => {
  await queue.enqueue({});
  const first = await queue.leaseOne();
  await appendLog(queue.pool, first, [line(1), line(2)]);
  await queue.end(first, passingFault);
  await queue.query("update task_line set delayed_until = now()");
  const second = await queue.leaseOne();
  await appendLog(queue.pool, second, [line(1)]);
  const read = async (part: object) =>
    (await readLog(queue.pool, { uid: first.uid, limit: 10, ...part })).map(({ attempt, seq }) => `${attempt}.${seq}`);
  expect(await read({})).toEqual(["1.1", "1.2", "2.1"]);
  expect(await read({ limit: 2 })).toEqual(["1.1", "1.2"]);
  expect(await read({ after: { attempt: 1, seq: 1 } })).toEqual(["1.2", "2.1"]);
  expect(await read({ attempt: 2 })).toEqual(["2.1"]);
});

test("M047 a stale lease cannot write lines", async () => {
  await queue.enqueue({});
  const stale = await queue.leaseOne();
  await queue.end(stale, { state: "returned" });
  await queue.leaseOne();
  expect(await appendLog(queue.pool, stale, [line(1)])).toBe(false);
  expect(await appendLog(queue.pool, { uid: stale.uid, leaseToken: "none" }, [line(1)])).toBe(false);
  expect(await readLog(queue.pool, { uid: stale.uid, limit: 10 })).toEqual([]);
});
