/** A source of time. All code that waits or needs a timestamp uses one, so that tests can control time. */
export interface Clock {
  /** Returns the milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason if the signal is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// The offset is injected, because this file also runs in browsers, which have no environment variables or files.
let offsetMs = (): number => 0;

/** Adds an offset to the system clock. Used by test suites that make the clock jump. */
export function offsetSystemClock(offset: () => number): void {
  offsetMs = offset;
}

export const systemClock: Clock = {
  now: () => Date.now() + offsetMs(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const timer = setTimeout(done, ms);
      function done(): void {
        signal?.removeEventListener("abort", abort);
        resolve();
      }
      function abort(): void {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      }
      signal?.addEventListener("abort", abort, { once: true });
    }),
};

/** Creates a clock that moves only when a test advances it. */
export function createManualClock(startMs = Date.UTC(2026, 0, 1)): Clock & { advance(ms: number): void } {
  let nowMs = startMs;
  let sleepers: { at: number; wake: () => void }[] = [];
  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        sleepers.push({ at: nowMs + ms, wake: resolve });
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      }),
    advance(ms) {
      nowMs += ms;
      const due = sleepers.filter((sleeper) => sleeper.at <= nowMs);
      sleepers = sleepers.filter((sleeper) => sleeper.at > nowMs);
      for (const sleeper of due) sleeper.wake();
    },
  };
}
