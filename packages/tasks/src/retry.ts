import type { TaskOutcome } from "./task.ts";

/** How long to wait before the next attempt. How many there are is the task's own `maxAttempts`. */
export interface RetryPolicy {
  readonly firstSeconds: number;
  readonly factor: number;
  readonly mostSeconds: number;
  /** The part of a delay that is left to chance, so that tasks that failed together are not tried together. */
  readonly jitter: number;
}

export const defaultRetryPolicy: RetryPolicy = { firstSeconds: 5, factor: 2, mostSeconds: 600, jitter: 0.5 };

/** The delays after the first attempt, the second and so on; the last one serves for all that follow. */
export function planDelays(policy: RetryPolicy, random: () => number): number[] {
  const delays: number[] = [];
  for (let seconds = policy.firstSeconds; ; seconds *= policy.factor) {
    const capped = Math.min(seconds, policy.mostSeconds);
    delays.push(capped * (1 - policy.jitter * random()));
    if (capped === policy.mostSeconds || policy.factor <= 1) return delays;
  }
}

/** What an attempt's outcome asks for: an end, another attempt, or the task untouched. */
export type Verdict = "done" | "failed" | "cancelled" | "returned" | "retry";

/** A permanent fault is not tried again. */
export function judgeOutcome(outcome: TaskOutcome): Verdict {
  return outcome.state === "failed" && outcome.fault.retry !== "never" ? "retry" : outcome.state;
}

/** The delay that the fault itself asks for, in seconds. */
export function findRetryAfter(outcome: TaskOutcome): number | null {
  if (outcome.state !== "failed" || outcome.fault.retry !== "after") return null;
  return outcome.fault.retryAfterMs === undefined ? null : outcome.fault.retryAfterMs / 1000;
}
