/** What is kept between the end of our own work and the end of the lease: a tenth of it, three seconds at most. */
function safetyMarginMs(leaseSeconds: number): number {
  return Math.min(3000, leaseSeconds * 100);
}

/**
 * The moment by which work must have ended when nothing renews it, in boot time. A lease begins when the server grants it, which is
 * after the request was sent: counted from then it ends too early here, never too late.
 */
export function deadlineOf(sentAtMs: number, leaseSeconds: number): number {
  return sentAtMs + leaseSeconds * 1000 - safetyMarginMs(leaseSeconds);
}
