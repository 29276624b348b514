import { backOffMs, Fault, type Clock } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

const attempts = 30;
const backOff = { firstMs: 1, longestMs: 128 };

/** Repeats a read-modify-write cycle with increasing pauses until its conditional write succeeds. */
export async function retryStale<Result>(
  deps: { readonly clock: Clock },
  what: string,
  work: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const result = await work();
    if (result !== undefined) return result;
    // Full jitter: writers that collided would collide again if they all retried at the same time.
    await deps.clock.sleep(Math.random() * backOffMs(backOff, attempt));
  }
  throw new Fault(apiFaults.busy, `${what} kept changing`);
}
