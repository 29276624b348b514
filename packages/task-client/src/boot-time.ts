import { uptime } from "node:os";

/** Milliseconds since a fixed moment of this boot, including the time that the machine slept. It cannot be set. */
export type BootTime = () => number;

/**
 * The time since boot, the same in all processes of the machine. Leases use it, because a jump of the wall clock must not matter, and a
 * machine that slept must notice the elapsed time (Linux counts sleep in CLOCK_BOOTTIME).
 */
export const bootTime: BootTime =
  process.platform === "linux" ? () => uptime() * 1000 : () => Number(process.hrtime.bigint()) / 1e6;
