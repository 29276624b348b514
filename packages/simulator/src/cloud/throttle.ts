import type { Clock } from "@cloudwright/platform";
import type { Conditions } from "./conditions.ts";

/** Decides whether a call is admitted or throttled. */
export interface Throttle {
  take(tenant: string, conditions: Pick<Conditions, "throttle" | "timeScale">): boolean;
}

/** Creates a token bucket per tenant that refills in simulated time. */
export function createThrottle({ clock }: { readonly clock: Pick<Clock, "now"> }): Throttle {
  const buckets = new Map<string, { calls: number; atMs: number }>();
  return {
    take(tenant, { throttle: limit, timeScale }) {
      if (limit === undefined) return true;
      const nowMs = clock.now();
      const { calls, atMs } = buckets.get(tenant) ?? { calls: limit.burst, atMs: nowMs };
      const seconds = timeScale === 0 ? 0 : (nowMs - atMs) / timeScale / 1000;
      const filled = Math.min(limit.burst, calls + seconds * limit.perSecond);
      const isAnswered = filled >= 1;
      buckets.set(tenant, { calls: isAnswered ? filled - 1 : filled, atMs: nowMs });
      return isAnswered;
    },
  };
}
