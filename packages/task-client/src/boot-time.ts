import { uptime } from "node:os";

/** Milliseconds that have passed since some fixed moment of this boot, also while the machine slept; nobody can set it. */
export type BootTime = () => number;

/**
 * Time of this boot, the same in all processes of the machine. Leases are counted by it: a wall clock that jumps must change
 * nothing, and a machine that slept must not believe that no time has passed (Linux counts its sleep, CLOCK_BOOTTIME).
 */
export const bootTime: BootTime =
  process.platform === "linux" ? () => uptime() * 1000 : () => Number(process.hrtime.bigint()) / 1e6;
