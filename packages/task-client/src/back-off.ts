import { backOffMs, spreadMs, type Clock } from "@cloudwright/platform";

const firstPauseMs = 200;
const longestPauseMs = 5000;

/** Returns the pause before the next attempt. Random jitter keeps many agents from retrying at the same time. */
export function pauseMs(tries: number, longestMs = longestPauseMs): number {
  return spreadMs(backOffMs({ firstMs: firstPauseMs, longestMs }, tries));
}

/** Sleeps until the time has passed or the signal is aborted. Does not throw on abort. */
export async function pause(clock: Pick<Clock, "sleep">, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => undefined);
}
