import { Fault, type Clock } from "@cloudwright/platform";
import { apiFaults } from "./faults.ts";

const attempts = 30;

/** Runs work that reads, decides and writes conditionally until its write meets what was read, with growing pauses between. */
export async function retryStale<Result>(
  deps: { readonly clock: Clock },
  what: string,
  work: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const result = await work();
    if (result !== undefined) return result;
    // Those who collided would collide again if they all came back at once.
    await deps.clock.sleep(Math.random() * 2 ** Math.min(attempt, 7));
  }
  throw new Fault(apiFaults.busy, `${what} kept changing`);
}
