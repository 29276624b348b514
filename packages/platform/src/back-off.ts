/** How pauses between retries grow: each is twice the one before, up to a limit. */
export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Returns the pause after failure number `failures`, where 0 is the first failure. */
export function backOffMs({ firstMs, longestMs }: BackOff, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** failures);
}

/** Varies a pause by up to 25 % in either direction, so that clients that failed together do not retry together. */
export function spreadMs(ms: number, random: () => number = Math.random): number {
  return ms * (0.75 + random() / 2);
}
