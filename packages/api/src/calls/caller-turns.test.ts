import { expect, test } from "vitest";
import { createCallerTurns } from "./caller-turns.ts";

function createWork(): { start(): Promise<string>; started(): number; finishAll(): void } {
  const open: (() => void)[] = [];
  let started = 0;
  return {
    start: () => {
      started += 1;
      return new Promise((resolve) => open.push(() => resolve("done")));
    },
    started: () => started,
    finishAll: () => open.splice(0).forEach((finish) => finish()),
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("X063 a caller's requests beyond the limit wait while other callers are served", async () => {
  const turns = createCallerTurns({ running: 3, waiting: 100 });
  const [greedy, other] = [createWork(), createWork()];
  const calls = Array.from({ length: 10 }, () => turns.run("greedy", greedy.start));
  const otherCall = turns.run("other", other.start);
  await settle();
  expect([greedy.started(), other.started()]).toEqual([3, 1]);
  other.finishAll();
  expect(await otherCall).toBe("done");
  for (let round = 0; round < 4; round += 1) {
    expect(greedy.started()).toBe(Math.min(10, 3 * (round + 1)));
    greedy.finishAll();
    await settle();
  }
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 10 }, () => "done"));
});

test("X063 a caller with too many waiting requests is told to slow down", async () => {
  const turns = createCallerTurns({ running: 1, waiting: 2 });
  const work = createWork();
  const calls = [1, 2, 3].map(() => turns.run("greedy", work.start));
  await expect(turns.run("greedy", work.start)).rejects.toMatchObject({ code: "api.rate_limited", retryAfterMs: 1000 });
  for (let round = 0; round < 3; round += 1) {
    work.finishAll();
    await settle();
  }
  expect(await Promise.all(calls)).toHaveLength(3);
});

test("X063 a disconnected caller's requests are never started, and a failing request frees its turn", async () => {
  const turns = createCallerTurns({ running: 1 });
  const failing = turns.run("caller", () => Promise.reject(new Error("broken")));
  const work = createWork();
  const gone = turns.run("caller", work.start, () => true);
  await expect(failing).rejects.toThrow("broken");
  await expect(gone).rejects.toMatchObject({ code: "api.timeout" });
  expect(work.started()).toBe(0);
  expect(await turns.run("caller", () => Promise.resolve("served"))).toBe("served");
});
