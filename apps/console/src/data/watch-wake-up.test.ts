import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchWakeUp } from "./watch-wake-up.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("X002 sleep, a restored network and a frozen tab are each detected once", () => {
  const signs = { window: new EventTarget(), document: new EventTarget(), now: () => Date.now() };
  const woken = vi.fn<() => void>();
  const stop = watchWakeUp(woken, signs);
  vi.advanceTimersByTime(600_000);
  expect(woken).toHaveBeenCalledTimes(0);
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(10_000);
  expect(woken).toHaveBeenCalledTimes(1);
  signs.window.dispatchEvent(new Event("online"));
  signs.document.dispatchEvent(new Event("resume"));
  vi.advanceTimersByTime(10_000);
  expect(woken).toHaveBeenCalledTimes(3);
  stop();
  signs.window.dispatchEvent(new Event("online"));
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(10_000);
  expect(woken).toHaveBeenCalledTimes(3);
});
