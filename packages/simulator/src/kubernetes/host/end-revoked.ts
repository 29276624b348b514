import type { Clock } from "@cloudwright/platform";
import type { ServerResponse } from "node:http";

/** Interval between two checks of an open watch's credential. */
const recheckMs = 1000;

/**
 * Runs `work`, which serves a watch, and disconnects the client soon after its credential becomes invalid. If a check cannot be completed,
 * the credential counts as valid until the next check.
 */
export async function endWhenRevoked(
  { clock, response }: { readonly clock: Clock; readonly response: ServerResponse },
  isValid: () => Promise<boolean>,
  work: () => Promise<void>,
): Promise<void> {
  const finished = new AbortController();
  const recheck = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(recheckMs, finished.signal);
      if (!(await isValid().catch(() => true))) return void response.destroy();
    }
  };
  // The promise rejects when the work ends, because the abort signal interrupts the sleep.
  recheck().catch(() => undefined);
  try {
    await work();
  } finally {
    finished.abort();
  }
}
