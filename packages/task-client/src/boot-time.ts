import { uptime } from "node:os";

/** Returns the time in milliseconds from a clock that cannot be set and that keeps running while the system is suspended. */
export type BootTime = () => number;

/**
 * The time since boot, identical in all processes on this machine. Leases use it because changes to the wall clock must not affect them. It
 * includes the time that the machine was suspended (CLOCK_BOOTTIME on Linux).
 */
export const bootTime: BootTime =
  process.platform === "linux" ? () => uptime() * 1000 : () => Number(process.hrtime.bigint()) / 1e6;
