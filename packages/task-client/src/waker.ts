import type { Clock } from "@cloudwright/platform";

/** Lets a loop sleep until it is woken, the time has passed, or its signal is aborted. */
export interface Waker {
  wake(): void;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const longestMs = 60_000;

/** Creates a waker. If `wake` is called while the loop is awake, the next sleep ends immediately. */
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
