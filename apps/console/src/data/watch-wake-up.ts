/**
 * Browsers run the timers of hidden tabs only once a minute. A gap between timer calls that is longer than this means that the computer was
 * asleep.
 */
const sleptMs = 90_000;
const lookEveryMs = 5_000;

/** The sources of wake-up signals: a browser's `window` and `document`. */
export interface WakeUpSignals {
  readonly window: Pick<EventTarget, "addEventListener" | "removeEventListener">;
  readonly document: Pick<EventTarget, "addEventListener" | "removeEventListener">;
  now(): number;
}

/**
 * Calls `onWake` after the computer was asleep, the network was down or the browser froze the tab. Connections opened before that may be
 * dead without reporting an error. Returns a function that stops watching.
 */
export function watchWakeUp(onWake: () => void, signs: WakeUpSignals = { window, document, now: () => Date.now() }): () => void {
  let seenMs = signs.now();
  const check = (): void => {
    const nowMs = signs.now();
    const slept = nowMs - seenMs > sleptMs;
    seenMs = nowMs;
    if (slept) onWake();
  };
  const wake = (): void => {
    seenMs = signs.now();
    onWake();
  };
  const timer = setInterval(check, lookEveryMs);
  signs.window.addEventListener("online", wake);
  signs.document.addEventListener("resume", wake);
  return () => {
    clearInterval(timer);
    signs.window.removeEventListener("online", wake);
    signs.document.removeEventListener("resume", wake);
  };
}
