import type { Clock } from "@cloudwright/platform";

/** Lets one loop sleep until it is woken, a time has passed, or it must end. */
export interface Waker {
  wake(): void;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const longestMs = 60_000;

/** Creates a waker. A wake without a sleeper is kept for the next sleep. */
export function createWaker(clock: Pick<Clock, "sleep">): Waker {
  let woken = false;
  let end: AbortController | undefined;
  return {
    wake() {
      woken = true;
      end?.abort();
    },
    async sleep(ms, signal) {
      if (!woken && !signal.aborted) {
        end = new AbortController();
        await clock.sleep(Math.min(ms, longestMs), AbortSignal.any([signal, end.signal])).catch(() => undefined);
        end = undefined;
      }
      woken = false;
    },
  };
}
