import type { Clock } from "@cloudwright/platform";

/** Whether a request may go on, or how long to wait before one may. */
type Admission = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterMs: number };

/** A token bucket per key. */
export interface RateLimiter {
  /** Takes one token of the key's bucket. */
  take(key: string): Admission;
  /** Puts one token back, for calls that turn out not to count. */
  restore(key: string): void;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

// Refilling adds fractions; without this a caller who waits exactly as told could be refused for the sake of a last binary digit.
const roundingError = 1e-9;

/**
 * Builds a limiter that lets `burst` calls through at once and `perSecond` in the long run. It has no timers: a bucket is refilled
 * when it is touched. Memory is bounded by `maxKeys`: buckets are kept in the order of their last use, full ones (which say nothing)
 * are dropped from the old end as calls come in, and at the limit the oldest goes in any case.
 */
export function createRateLimiter(
  deps: { readonly clock: Clock },
  options: { readonly perSecond: number; readonly burst: number; readonly maxKeys?: number },
): RateLimiter {
  const { perSecond, burst, maxKeys = 10_000 } = options;
  const buckets = new Map<string, Bucket>();
  const level = (bucket: Bucket, nowMs: number): number =>
    Math.min(burst, bucket.tokens + (Math.max(0, nowMs - bucket.atMs) * perSecond) / 1000);

  // Two at a time is more than one call can add, so the map shrinks whenever it holds buckets that have filled up.
  const dropOldest = (nowMs: number): void => {
    let looks = 2;
    for (const [key, bucket] of buckets) {
      if (looks-- === 0 || (buckets.size < maxKeys && level(bucket, nowMs) < burst)) return;
      buckets.delete(key);
    }
  };

  return {
    take(key) {
      const nowMs = deps.clock.now();
      const known = buckets.get(key);
      const tokens = known === undefined ? burst : level(known, nowMs);
      buckets.delete(key);
      dropOldest(nowMs);
      const allowed = tokens >= 1 - roundingError;
      buckets.set(key, { tokens: allowed ? Math.max(0, tokens - 1) : tokens, atMs: nowMs });
      if (allowed) return { allowed };
      const missing = 1 - roundingError / 2 - tokens;
      return { allowed, retryAfterMs: Math.ceil((missing * 1000) / perSecond) };
    },
    restore(key) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) bucket.tokens = Math.min(burst, bucket.tokens + 1);
    },
  };
}
