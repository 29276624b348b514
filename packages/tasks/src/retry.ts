import type { TaskOutcome } from "./task.ts";

/** Delays between attempts. The task's `maxAttempts` limits the number of attempts. */
export interface RetryPolicy {
  readonly firstSeconds: number;
  readonly factor: number;
  readonly mostSeconds: number;
  /** The share of a delay that is random, from 0 to 1. It spreads the retries of tasks that failed together. */
  readonly jitter: number;
}

export const defaultRetryPolicy: RetryPolicy = { firstSeconds: 5, factor: 2, mostSeconds: 600, jitter: 0.5 };

/** Returns the delays in seconds after the first attempt, the second and so on. The last delay applies to all further attempts. */
export function planDelays(policy: RetryPolicy, random: () => number): number[] {
  const delays: number[] = [];
  for (let seconds = policy.firstSeconds; ; seconds *= policy.factor) {
    const capped = Math.min(seconds, policy.mostSeconds);
    delays.push(capped * (1 - policy.jitter * random()));
    if (capped === policy.mostSeconds || policy.factor <= 1) return delays;
  }
}

/** What happens to a task after an attempt. `returned` makes it ready again without counting the attempt. */
export type Verdict = "done" | "failed" | "cancelled" | "returned" | "retry";

/** Decides what happens to a task after an attempt. Permanent faults are not retried. */
export function judgeOutcome(outcome: TaskOutcome): Verdict {
  return outcome.state === "failed" && outcome.fault.retry !== "never" ? "retry" : outcome.state;
}

/** Returns the delay in seconds that the fault specifies, or null if it specifies none. */
export function findRetryAfter(outcome: TaskOutcome): number | null {
  if (outcome.state !== "failed" || outcome.fault.retry !== "after") return null;
  return outcome.fault.retryAfterMs === undefined ? null : outcome.fault.retryAfterMs / 1000;
}
