/** Exponential backoff: each pause is twice the previous one, up to a limit. */
export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Returns the pause after a failure. `failures` is the number of earlier failures: 0 after the first one. */
export function backOffMs({ firstMs, longestMs }: BackOff, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** failures);
}

/** Adds up to 25 % random jitter in either direction, so that clients that failed together do not retry together. */
export function spreadMs(ms: number, random: () => number = Math.random): number {
  return ms * (0.75 + random() / 2);
}
