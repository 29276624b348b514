import { randomInt, randomUUID } from "node:crypto";
import { getKind } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { lifecycles } from "../lifecycles.ts";
import { findCheckDueInMs } from "./spread-checks.ts";

const intervalMs = 12 * 3_600_000;
const uids = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

test("X080 checks of a fleet that was built at once are spread evenly over the interval", () => {
  const nowMs = randomInt(2 ** 40);
  const hours = uids(12_000).map((uid) => Math.floor(findCheckDueInMs(uid, { intervalMs, lastMs: nowMs, nowMs }) / 3_600_000));
  for (let hour = 0; hour < 12; hour += 1) {
    const count = hours.filter((each) => each === hour).length;
    expect([hour, count > 800 && count < 1200]).toEqual([hour, true]);
  }
});

test("X080 an entity is checked once per interval", () => {
  const seed = randomInt(2 ** 40);
  for (const uid of uids(50)) {
    let lastMs = seed;
    const checks: number[] = [];
    for (let nowMs = seed; nowMs < seed + 10 * intervalMs;) {
      const dueInMs = findCheckDueInMs(uid, { intervalMs, lastMs, nowMs });
      if (dueInMs <= 0) checks.push((lastMs = nowMs));
      nowMs += Math.max(dueInMs, 1);
    }
    expect([seed, uid, checks.length]).toEqual([seed, uid, 10]);
  }
});

test("X080 after a long downtime, missed checks wait for their next slot instead of starting at once", () => {
  const nowMs = randomInt(2 ** 40) + 10 * intervalMs;
  const due = uids(10_000).map((uid) => findCheckDueInMs(uid, { intervalMs, lastMs: 0, nowMs }));
  expect(due.filter((dueInMs) => dueInMs <= 0).length).toBeLessThan(250);
  expect(Math.max(...due)).toBeLessThanOrEqual(intervalMs);
});

test("X080 the kinds whose entities users can check are those that the reconciler checks", () => {
  for (const [kind, { checked }] of Object.entries(lifecycles))
    expect([kind, getKind(kind).hasDriftChecks === true]).toEqual([kind, checked]);
});
