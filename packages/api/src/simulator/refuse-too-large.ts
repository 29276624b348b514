import { Fault } from "@cloudwright/platform";
import { isSimulationTooLarge } from "@cloudwright/store";
import { apiFaults } from "../faults.ts";

/** Runs a statement on a simulated cloud, and rejects the request if a resource, the cloud or the response would be too large. */
export async function refuseTooLarge<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isSimulationTooLarge(error)) throw error;
    throw new Fault(apiFaults.simulation_too_large, error.message, { cause: error });
  }
}
