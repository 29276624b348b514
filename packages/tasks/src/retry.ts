import type { TaskOutcome } from "./task.ts";

/** How long to wait before the next attempt. The task's own `maxAttempts` limits their number. */
export interface RetryPolicy {
  readonly firstSeconds: number;
  readonly factor: number;
  readonly mostSeconds: number;
  /** The random share of a delay, so that tasks that failed together are not retried together. */
  readonly jitter: number;
}

export const defaultRetryPolicy: RetryPolicy = { firstSeconds: 5, factor: 2, mostSeconds: 600, jitter: 0.5 };

/** Returns the delays after the first attempt, the second and so on. The last one applies to all further attempts. */
export function planDelays(policy: RetryPolicy, random: () => number): number[] {
  const delays: number[] = [];
  for (let seconds = policy.firstSeconds; ; seconds *= policy.factor) {
    const capped = Math.min(seconds, policy.mostSeconds);
    delays.push(capped * (1 - policy.jitter * random()));
    if (capped === policy.mostSeconds || policy.factor <= 1) return delays;
  }
}

/** What follows from an attempt's outcome: the end of the task, another attempt, or no change. */
export type Verdict = "done" | "failed" | "cancelled" | "returned" | "retry";

/** Returns what follows from an outcome. A permanent fault is not retried. */
export function judgeOutcome(outcome: TaskOutcome): Verdict {
  return outcome.state === "failed" && outcome.fault.retry !== "never" ? "retry" : outcome.state;
}

/** Returns the delay that the fault itself demands, in seconds. */
export function findRetryAfter(outcome: TaskOutcome): number | null {
  if (outcome.state !== "failed" || outcome.fault.retry !== "after") return null;
  return outcome.fault.retryAfterMs === undefined ? null : outcome.fault.retryAfterMs / 1000;
}
