import { uptime } from "node:os";

/** Returns the time in milliseconds from a clock that cannot be set and that keeps running while the system is suspended. */
export type BootTime = () => number;

/**
 * The time since boot, identical in all processes on this machine. Leases use it because changes to the wall clock must not affect them. It
 * includes the time that the machine was suspended (CLOCK_BOOTTIME on Linux).
 */
export const bootTime: BootTime =
  process.platform === "linux" ? createLinuxBootTime() : () => Number(process.hrtime.bigint()) / 1e6;

/**
 * Caches the time for a millisecond. On Linux, Node opens and parses a file to find the time since boot, and a task needs it about ten
 * times within a millisecond.
 */
function createLinuxBootTime(): BootTime {
  let bootMs = 0;
  let readAtMs = -Infinity;
  return () => {
    const nowMs = performance.now();
    if (nowMs - readAtMs >= 1) {
      bootMs = uptime() * 1000;
      readAtMs = nowMs;
    }
    return bootMs;
  };
}
