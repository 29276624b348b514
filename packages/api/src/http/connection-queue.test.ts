import { expect, test } from "vitest";
import { createConnectionQueue } from "./connection-queue.ts";

function createTurns(): { nextTurn: (run: () => void) => void; run: () => boolean } {
  const scheduled: (() => void)[] = [];
  const run = (): boolean => {
    const next = scheduled.shift();
    next?.();
    return next !== undefined;
  };
  return { nextTurn: (next) => void scheduled.push(next), run };
}

const open = { destroyed: false };

test("X071 connections that arrive with much data are served one per turn, and small ones together", () => {
  const turns = createTurns();
  const queue = createConnectionQueue(turns.nextTurn);
  const served: string[] = [];
  for (let nth = 0; nth < 3; nth += 1) queue.add("a", open, 11_000, () => served.push(`large${nth}`));
  for (let nth = 0; nth < 40; nth += 1) queue.add("a", open, 100, () => served.push("small"));
  expect(served).toEqual([]);
  const perTurn: number[] = [];
  for (let before = 0; turns.run(); before = served.length) perTurn.push(served.length - before);
  expect(perTurn).toEqual([1, 1, 1, 40]);
  expect(served.slice(0, 3)).toEqual(["large0", "large1", "large2"]);
});

test("X071 a burst of connections from one network does not delay a connection from another one", () => {
  const turns = createTurns();
  const queue = createConnectionQueue(turns.nextTurn);
  const served: string[] = [];
  for (let nth = 0; nth < 400; nth += 1) queue.add("hostile", open, 11_000, () => served.push("hostile"));
  queue.add("calm", open, 100, () => served.push("calm"));
  turns.run();
  turns.run();
  expect(served).toEqual(["hostile", "calm", "hostile"]);
});

test("X071 connections that were closed while they waited are not served", () => {
  const turns = createTurns();
  const queue = createConnectionQueue(turns.nextTurn);
  const served: string[] = [];
  queue.add("a", { destroyed: true }, 11_000, () => served.push("gone"));
  queue.add("a", open, 11_000, () => served.push("open"));
  while (turns.run());
  expect(served).toEqual(["open"]);
  queue.add("a", open, 1, () => served.push("later"));
  while (turns.run());
  expect(served).toEqual(["open", "later"]);
});
