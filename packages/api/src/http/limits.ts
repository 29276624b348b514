import type { Clock } from "@cloudwright/platform";

type Admission = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterMs: number };

/** A rate limiter with one token bucket per key. */
export interface RateLimiter {
  take(key: string): Admission;
  /** Returns one token to the bucket, for calls that turn out not to count. */
  restore(key: string): void;
  /** Returns the number of buckets in memory. */
  size(): number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

// Tolerance for rounding errors in fractional refills. Without it, a caller that waits exactly `retryAfterMs` could be rejected.
const roundingError = 1e-9;

// Number of buckets to inspect for each new key. It is greater than one, so that the map shrinks while it contains full buckets.
const looksPerKey = 4;

/**
 * Creates a limiter that admits `burst` calls at once and `perSecond` calls on average. It has no timers: buckets are refilled when
 * they are used. `maxKeys` limits its memory. For each new key, the limiter inspects the next few buckets in rotation and drops the
 * full ones, which are no different from new buckets. At the limit it also drops the fullest of the inspected buckets.
 */
export function createRateLimiter(
  deps: { readonly clock: Clock },
  options: { readonly perSecond: number; readonly burst: number; readonly maxKeys?: number },
): RateLimiter {
  const { perSecond, burst, maxKeys = 10_000 } = options;
  const buckets = new Map<string, Bucket>();
  let hand = buckets.entries();
  const levelOf = (bucket: Bucket, nowMs: number): number =>
    Math.min(burst, bucket.tokens + (Math.max(0, nowMs - bucket.atMs) * perSecond) / 1000);

  const makeRoom = (nowMs: number): void => {
    let fullest: { key: string; level: number } | undefined;
    for (let looks = 0; looks < looksPerKey; looks += 1) {
      const next = hand.next();
      if (next.done === true) {
        hand = buckets.entries();
        continue;
      }
      const [key, bucket] = next.value;
      const level = levelOf(bucket, nowMs);
      if (level >= burst) buckets.delete(key);
      else if (fullest === undefined || level > fullest.level) fullest = { key, level };
    }
    if (buckets.size >= maxKeys && fullest !== undefined) buckets.delete(fullest.key);
  };

  const getBucket = (key: string, nowMs: number): Bucket => {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    makeRoom(nowMs);
    const bucket = { tokens: burst, atMs: nowMs };
    buckets.set(key, bucket);
    return bucket;
  };

  return {
    take(key) {
      const nowMs = deps.clock.now();
      const bucket = getBucket(key, nowMs);
      const tokens = levelOf(bucket, nowMs);
      const allowed = tokens >= 1 - roundingError;
      bucket.tokens = allowed ? Math.max(0, tokens - 1) : tokens;
      bucket.atMs = nowMs;
      if (allowed) return { allowed };
      const missing = 1 - roundingError / 2 - tokens;
      return { allowed, retryAfterMs: Math.ceil((missing * 1000) / perSecond) };
    },
    restore(key) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) bucket.tokens += 1;
    },
    size: () => buckets.size,
  };
}
