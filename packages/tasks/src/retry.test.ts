import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultRetryPolicy, findRetryAfter, judgeOutcome, planDelays } from "./retry.ts";

const policy = { firstSeconds: 5, factor: 2, mostSeconds: 60, jitter: 0.5 };

test("M046 delays double up to a limit", () => {
  expect(planDelays(policy, () => 0)).toEqual([5, 10, 20, 40, 60]);
});

test("M046 jitter shortens a delay by up to its share, each time differently", () => {
  const draws = [0, 1, 0.5, 0, 1];
  expect(planDelays(policy, () => draws.shift() ?? 0)).toEqual([5, 5, 15, 40, 30]);
});

test("M046 no delay is longer than the limit or shorter than its fixed part", () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (draws) => {
      const random = (): number => draws.next().value as number;
      for (const [index, delay] of planDelays(defaultRetryPolicy, random).entries()) {
        const { firstSeconds, factor, mostSeconds, jitter } = defaultRetryPolicy;
        const whole = Math.min(mostSeconds, firstSeconds * factor ** index);
        expect(delay).toBeLessThanOrEqual(whole);
        expect(delay).toBeGreaterThanOrEqual(whole * (1 - jitter) - 1e-9);
      }
    }),
  );
});

test("M046 constant delays are supported too", () => {
  expect(planDelays({ ...policy, factor: 1 }, () => 0)).toEqual([5]);
});

test.for([
  { outcome: { state: "done" }, verdict: "done", afterSeconds: null },
  { outcome: { state: "cancelled" }, verdict: "cancelled", afterSeconds: null },
  { outcome: { state: "returned" }, verdict: "returned", afterSeconds: null },
  { outcome: { state: "failed", fault: { code: "a.b", message: "", retry: "never" } }, verdict: "failed", afterSeconds: null },
  { outcome: { state: "failed", fault: { code: "a.b", message: "", retry: "backoff" } }, verdict: "retry", afterSeconds: null },
  {
    outcome: { state: "failed", fault: { code: "a.b", message: "", retry: "after", retryAfterMs: 1500 } },
    verdict: "retry",
    afterSeconds: 1.5,
  },
] as const)("M046 the outcome $outcome leads to $verdict", ({ outcome, verdict, afterSeconds }) => {
  expect(judgeOutcome(outcome)).toBe(verdict);
  expect(findRetryAfter(outcome)).toBe(afterSeconds);
});
