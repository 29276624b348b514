import { backOffMs, Fault, type Clock } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

const attempts = 30;
const backOff = { firstMs: 1, longestMs: 128 };

/** Repeats work that reads, decides and writes conditionally until its write succeeds, with growing pauses in between. */
export async function retryStale<Result>(
  deps: { readonly clock: Clock },
  what: string,
  work: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const result = await work();
    if (result !== undefined) return result;
    // The whole pause is random: writers that collided would collide again if they all returned at once.
    await deps.clock.sleep(Math.random() * backOffMs(backOff, attempt));
  }
  throw new Fault(apiFaults.busy, `${what} kept changing`);
}
