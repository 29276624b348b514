import type { Clock } from "./clock.ts";

type Admission = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterMs: number };

/** A rate limiter with one token bucket per key. */
export interface RateLimiter {
  /**
   * Takes `cost` tokens, by default one, if the bucket contains at least one. A higher cost can leave the bucket in debt. A cost of 0 only
   * checks the bucket.
   */
  take(key: string, cost?: number): Admission;
  /** Takes one token even if the bucket is empty, for work that has already been done. */
  charge(key: string): void;
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

  /** Refills a bucket and takes tokens. A bucket owes at most `burst` tokens. */
  const spend = (bucket: Bucket, tokens: number, cost: number, nowMs: number): void => {
    const left = tokens - cost;
    bucket.tokens = Math.max(-burst, Math.abs(left) < roundingError ? 0 : left);
    bucket.atMs = nowMs;
  };

  return {
    take(key, cost = 1) {
      const nowMs = deps.clock.now();
      const bucket = getBucket(key, nowMs);
      const tokens = levelOf(bucket, nowMs);
      const allowed = tokens >= 1 - roundingError;
      spend(bucket, tokens, allowed ? cost : 0, nowMs);
      if (allowed) return { allowed };
      const missing = 1 - roundingError / 2 - tokens;
      return { allowed, retryAfterMs: Math.ceil((missing * 1000) / perSecond) };
    },
    charge(key) {
      const nowMs = deps.clock.now();
      const bucket = getBucket(key, nowMs);
      spend(bucket, levelOf(bucket, nowMs), 1, nowMs);
    },
    restore(key) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) bucket.tokens += 1;
    },
    size: () => buckets.size,
  };
}
