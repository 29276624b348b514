import { createLogger } from "@cloudwright/platform";
import type { Change, ChangeFeed, Position } from "@cloudwright/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Caller } from "../calls/authorise.ts";
import { createHub, type Hub, type Watcher } from "./hub.ts";

const log = createLogger({ level: "silent", name: "hub" });
const head: Position = { xid: 7n, seq: 3n };
let feed: ReturnType<typeof createFakeFeed>;
let hub: Hub;

beforeEach(() => {
  vi.useFakeTimers();
  feed = createFakeFeed();
  hub = createHub({ feed, log });
});
afterEach(() => {
  hub.close();
  vi.useRealTimers();
});

test("X002 the feed is followed only while there are watchers", async () => {
  expect(feed.listeners.size).toBe(0);
  const [leaveFirst, leaveSecond] = await Promise.all([hub.join(createWatcher()), hub.join(createWatcher())]);
  expect(feed.listeners.size).toBe(1);
  leaveFirst();
  expect(feed.listeners.size).toBe(1);
  leaveSecond();
  expect(feed.listeners.size).toBe(0);
  await hub.join(createWatcher());
  expect(feed.listeners.size).toBe(1);
});

test("X002 a watcher receives commits from the time it has joined until it leaves", async () => {
  const watcher = createWatcher();
  const leave = await hub.join(watcher);
  feed.tell([createChange("one")]);
  leave();
  feed.tell([createChange("two")]);
  expect(watcher.received).toEqual(["one"]);
});

test("X002 a watcher that failed to join leaves nothing behind, and the next one can join", async () => {
  feed.fails = true;
  await expect(hub.join(createWatcher())).rejects.toThrow("no database");
  expect(hub.size()).toBe(0);
  feed.fails = false;
  const watcher = createWatcher();
  await hub.join(watcher);
  feed.tell([createChange("one")]);
  expect(watcher.received).toEqual(["one"]);
});

test("X002 watchers receive regular bookmarks of the feed's position", async () => {
  const watcher = createWatcher();
  await hub.join(watcher);
  vi.advanceTimersByTime(15_000);
  expect(watcher.marks).toEqual([head]);
});

function createFakeFeed() {
  const listeners = new Set<(changes: readonly Change[]) => void>();
  const fake = {
    listeners,
    fails: false,
    tell: (changes: readonly Change[]): void => listeners.forEach((listener) => listener(changes)),
    async subscribe(listener: (changes: readonly Change[]) => void): Promise<() => void> {
      await Promise.resolve();
      if (fake.fails) throw new Error("no database");
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    position: () => head,
    poke: () => undefined,
    close: () => Promise.resolve(),
  };
  return fake satisfies ChangeFeed;
}

function createWatcher(): Watcher & { readonly received: string[]; readonly marks: Position[] } {
  const received: string[] = [];
  const marks: Position[] = [];
  return {
    received,
    marks,
    caller: { userUid: "u", user: "ada" } as Caller,
    sink: { send: () => undefined, isSlow: () => false, fill: () => 0, end: () => undefined },
    receive: (changes) => void received.push(...changes.map(({ change }) => change.uid)),
    mark: (position) => void marks.push(position),
  };
}

function createChange(uid: string): Change {
  return { kind: "Cluster", type: "ADDED", uid } as Change;
}
