import type { Clock } from "@cloudwright/platform";

const firstPauseMs = 200;
const longestPauseMs = 5000;

/** The pause before the next try: doubling, capped, and spread so that many agents do not come back at once. */
export function pauseMs(tries: number, longestMs = longestPauseMs): number {
  return Math.min(longestMs, firstPauseMs * 2 ** tries) * (0.75 + Math.random() / 2);
}

/** Sleeps, and wakes early without an error when the signal is aborted. */
export async function pause(clock: Pick<Clock, "sleep">, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => undefined);
}
