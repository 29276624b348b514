/** Returns how long before the lease's expiry the work must end: a tenth of the lease, at most three seconds. */
function safetyMarginMs(leaseSeconds: number): number {
  return Math.min(3000, leaseSeconds * 100);
}

/**
 * Returns the boot time at which work must end unless the lease is renewed. The lease is counted from the time the request was sent. The
 * server grants it later, so the result is never too late.
 */
export function deadlineOf(sentAtMs: number, leaseSeconds: number): number {
  return sentAtMs + leaseSeconds * 1000 - safetyMarginMs(leaseSeconds);
}
