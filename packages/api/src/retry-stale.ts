import { Fault } from "@cloudwright/platform";
import { apiFaults } from "./faults.ts";

const attempts = 10;

/** Runs work that reads, decides and writes conditionally until its write meets what was read. */
export async function retryStale<Result>(what: string, work: () => Promise<Result | undefined>): Promise<Result> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const result = await work();
    if (result !== undefined) return result;
  }
  throw new Fault(apiFaults.busy, `${what} kept changing`);
}
