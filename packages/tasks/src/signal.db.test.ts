import { createLogger, systemClock } from "@cloudwright/platform";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { waitForSignal, type Signal } from "@cloudwright/store";
import { createTaskSignal } from "./signal.ts";
import { createRequest, openTestQueue, type TestQueue } from "./testing/test-queue.ts";
import { leaseOrWait } from "./wait-for-tasks.ts";

let queue: TestQueue;
const log = createLogger({ level: "silent", name: "test" });
const signals: Signal[] = [];
/** Longer than any test waits. */
const forever = 600_000;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterEach(async () => {
  for (const signal of signals.splice(0)) await signal.close();
});
afterAll(() => queue.close());

/** Opens a signal and waits until it is listening, because the first connection counts as a notification. */
async function openSignal(pool = queue.pool): Promise<Signal> {
  const signal = createTaskSignal({ pool, log });
  signals.push(signal);
  await expect.poll(() => signal.version()).toBeGreaterThan(0);
  return signal;
}

const never = new AbortController().signal;

describe("M043 a waiting agent", () => {
  test("is woken in the same process at once", async () => {
    const signal = await openSignal();
    const waiting = waitForSignal(signal, signal.version(), forever, never);
    signal.notify();
    expect(await waiting).toBe(true);
  });

  test("is woken in every other process, and not twice in its own", async () => {
    const [here, there] = [await openSignal(), await openSignal(queue.openPool())];
    const before = here.version();
    const waiting = waitForSignal(there, there.version(), forever, never);
    here.notify();
    expect(await waiting).toBe(true);
    expect(here.version()).toBe(before + 1);
  });

  test("misses nothing between checking and waiting", async () => {
    const signal = await openSignal();
    const since = signal.version();
    signal.notify();
    expect(await waitForSignal(signal, since, forever, never)).toBe(true);
  });

  test("continues without a notification when the timeout expires or its caller aborts", async () => {
    const signal = await openSignal();
    const leaving = new AbortController();
    const waiting = waitForSignal(signal, signal.version(), forever, leaving.signal);
    leaving.abort();
    expect(await waiting).toBe(false);
    expect(await waitForSignal(signal, signal.version(), forever, leaving.signal)).toBe(false);
    expect(await waitForSignal(signal, signal.version(), 1, never)).toBe(false);
  });

  test("is woken for many commits at once, including the last", async () => {
    const [here, there] = [await openSignal(), await openSignal(queue.openPool())];
    const seen = there.version();
    for (let nth = 0; nth < 100; nth += 1) here.notify();
    await expect.poll(() => there.version()).toBeGreaterThanOrEqual(seen + 2);
    expect(there.version()).toBeLessThan(seen + 100);
  });

  test("is woken when the connection was lost, and again afterwards", async () => {
    const signal = await openSignal();
    const other = await openSignal(queue.openPool());
    const since = signal.version();
    await queue.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen cloudwright_tasks' and datname = current_database()",
    );
    expect(await waitForSignal(signal, since, forever, never)).toBe(true);
    await expect.poll(() => other.version()).toBeGreaterThan(1);
    const waiting = waitForSignal(signal, signal.version(), forever, never);
    other.notify();
    expect(await waiting).toBe(true);
  });
});

describe("M043 a long poll", () => {
  const deps = (signal: Signal) => ({ pool: queue.pool, signal, clock: systemClock });

  test("returns available tasks at once", async () => {
    const [task] = await queue.enqueue({});
    expect(await leaseOrWait(deps(await openSignal()), createRequest(), forever, never)).toMatchObject([{ uid: task?.uid }]);
  });

  test("returns a task that is enqueued while it waits", async () => {
    const signal = await openSignal();
    const waiting = leaseOrWait(deps(signal), createRequest(), forever, never);
    const [task] = await queue.enqueue({});
    signal.notify();
    expect(await waiting).toMatchObject([{ uid: task?.uid }]);
  });

  test("returns nothing when the timeout expires", async () => {
    expect(await leaseOrWait(deps(await openSignal()), createRequest(), 0, never)).toEqual([]);
  });

  test("hands back the tasks that it leased for an agent that is gone", async () => {
    const [task] = await queue.enqueue({});
    const gone = AbortSignal.abort();
    expect(await leaseOrWait(deps(await openSignal()), createRequest(), forever, gone)).toEqual([]);
    expect(await queue.readState(task?.uid ?? "")).toBe("ready");
    expect(await queue.leaseOne()).toMatchObject({ uid: task?.uid, attempt: 1 });
  });
});
