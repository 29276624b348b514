/** Browsers let timers of hidden tabs run once a minute; what is longer than that was sleep. */
const sleptMs = 90_000;
const lookEveryMs = 5_000;

/** What tells that the page was away: `window` and `document` of a browser. */
export interface WakingSigns {
  readonly window: Pick<EventTarget, "addEventListener" | "removeEventListener">;
  readonly document: Pick<EventTarget, "addEventListener" | "removeEventListener">;
  now(): number;
}

/**
 * Calls back when the machine slept, the network was away or the browser froze the tab: connections of before may be dead without anybody
 * having said so. Gives back how to stop that.
 */
export function watchWaking(onWake: () => void, signs: WakingSigns = { window, document, now: () => Date.now() }): () => void {
  let seenMs = signs.now();
  const look = (): void => {
    const nowMs = signs.now();
    const slept = nowMs - seenMs > sleptMs;
    seenMs = nowMs;
    if (slept) onWake();
  };
  const wake = (): void => {
    seenMs = signs.now();
    onWake();
  };
  const timer = setInterval(look, lookEveryMs);
  signs.window.addEventListener("online", wake);
  signs.document.addEventListener("resume", wake);
  return () => {
    clearInterval(timer);
    signs.window.removeEventListener("online", wake);
    signs.document.removeEventListener("resume", wake);
  };
}
