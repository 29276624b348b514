import { systemClock } from "@cloudwright/platform";

const lookEveryMs = 20;

/** Waits for a condition, by default for up to a minute. On timeout, throws an error that contains `what`. */
export async function waitUntil(what: string, holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = systemClock.now() + withinMs;
  while (!(await holds())) {
    if (systemClock.now() > deadline) throw new Error(`timed out after ${withinMs / 1000} s: ${what}`);
    await systemClock.sleep(lookEveryMs);
  }
}
