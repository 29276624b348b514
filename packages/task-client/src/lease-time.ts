/** The time between the end of our own work and the end of the lease: a tenth of it, at most three seconds. */
function safetyMarginMs(leaseSeconds: number): number {
  return Math.min(3000, leaseSeconds * 100);
}

/**
 * Returns when work must have ended if it is not renewed, in boot time. The server grants a lease after the request was sent. Counted from
 * the request, it ends too early here, never too late.
 */
export function deadlineOf(sentAtMs: number, leaseSeconds: number): number {
  return sentAtMs + leaseSeconds * 1000 - safetyMarginMs(leaseSeconds);
}
