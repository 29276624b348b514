import type { Clock } from "@cloudwright/platform";

/** Lets one loop sleep until it is woken, until a time has passed, or until it is to end. */
export interface Waker {
  wake(): void;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const longestMs = 60_000;

/** A waker; a wake that nobody sleeps for is kept for the next sleep. */
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
