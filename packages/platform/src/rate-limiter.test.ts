import { createManualClock } from "./clock.ts";
import { expect, test } from "vitest";
import { createRateLimiter } from "./rate-limiter.ts";

function takeAll(limiter: ReturnType<typeof createRateLimiter>, key: string, tries: number): number {
  return Array.from({ length: tries }, () => limiter.take(key)).filter((admission) => admission.allowed).length;
}

test("M099 a caller can use the whole burst at once and is then told how long to wait", () => {
  const limiter = createRateLimiter({ clock: createManualClock() }, { perSecond: 2, burst: 3 });
  expect(takeAll(limiter, "a", 3)).toBe(3);
  expect(limiter.take("a")).toEqual({ allowed: false, retryAfterMs: 500 });
});

test.for([0.1, 1 / 6, 0.7, 3, 7, 333])(
  "M099 at %d requests per second a caller who waits exactly as told is admitted",
  (perSecond) => {
    const clock = createManualClock();
    const limiter = createRateLimiter({ clock }, { perSecond, burst: 5 });
    takeAll(limiter, "a", 5);
    for (let round = 0; round < 200; round += 1) {
      const admission = limiter.take("a");
      if (admission.allowed) throw new Error("more requests were admitted than the rate allows");
      expect(admission.retryAfterMs).toBeGreaterThan(0);
      clock.advance(admission.retryAfterMs - 1);
      expect(limiter.take("a").allowed).toBe(false);
      clock.advance(1);
      expect(limiter.take("a").allowed).toBe(true);
    }
  },
);

test("M099 a rejected request does not delay the next admission", () => {
  const clock = createManualClock();
  const limiter = createRateLimiter({ clock }, { perSecond: 1, burst: 1 });
  expect(takeAll(limiter, "a", 100)).toBe(1);
  clock.advance(1000);
  expect(takeAll(limiter, "a", 100)).toBe(1);
});

test("M099 idle time accumulates at most one burst", () => {
  const clock = createManualClock();
  const limiter = createRateLimiter({ clock }, { perSecond: 10, burst: 4 });
  takeAll(limiter, "a", 4);
  clock.advance(3_600_000);
  expect(takeAll(limiter, "a", 100)).toBe(4);
});

test("M099 callers do not use up each other's share", () => {
  const limiter = createRateLimiter({ clock: createManualClock() }, { perSecond: 1, burst: 2 });
  takeAll(limiter, "a", 10);
  expect(takeAll(limiter, "b", 10)).toBe(2);
});

test("M099 a restored token can be taken again, but never above the burst", () => {
  const limiter = createRateLimiter({ clock: createManualClock() }, { perSecond: 1, burst: 2 });
  takeAll(limiter, "a", 2);
  limiter.restore("a");
  expect(takeAll(limiter, "a", 10)).toBe(1);
  for (let times = 0; times < 10; times += 1) limiter.restore("a");
  expect(takeAll(limiter, "a", 10)).toBe(2);
});

test("M099 a clock that is set back neither refills nor blocks a bucket", () => {
  const clock = createManualClock();
  const limiter = createRateLimiter({ clock }, { perSecond: 1, burst: 2 });
  takeAll(limiter, "a", 1);
  clock.advance(-3_600_000);
  expect(takeAll(limiter, "a", 10)).toBe(1);
  clock.advance(1000);
  expect(takeAll(limiter, "a", 10)).toBe(1);
});

test.for([1, 2, 3, 100])("M099 at most %d buckets are kept, however many callers there are", (maxKeys) => {
  const limiter = createRateLimiter({ clock: createManualClock() }, { perSecond: 1, burst: 1, maxKeys });
  for (let caller = 0; caller < 1000; caller += 1) {
    limiter.take(`caller-${caller}`);
    expect(limiter.size()).toBeLessThanOrEqual(maxKeys);
  }
  expect(limiter.size()).toBe(maxKeys);
});

test("M099 full buckets are dropped as new callers arrive, long before the limit", () => {
  const clock = createManualClock();
  const limiter = createRateLimiter({ clock }, { perSecond: 1, burst: 5 });
  for (let caller = 0; caller < 1000; caller += 1) limiter.take(`early-${caller}`);
  clock.advance(60_000);
  for (let caller = 0; caller < 500; caller += 1) limiter.take(`late-${caller}`);
  expect(limiter.size()).toBeLessThan(600);
});

test("M099 a flood of new callers does not make the limiter forget a caller who used up its share", () => {
  const clock = createManualClock();
  const limiter = createRateLimiter({ clock }, { perSecond: 1, burst: 10, maxKeys: 30 });
  takeAll(limiter, "greedy", 10);
  for (let second = 0; second < 5; second += 1) {
    for (let caller = 0; caller < 1000; caller += 1) limiter.take(`once-${second}-${caller}`);
    clock.advance(1000);
  }
  expect(takeAll(limiter, "greedy", 20)).toBe(5);
});
