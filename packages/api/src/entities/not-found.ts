import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** Creates the fault for an entity that does not exist or that the caller may not see. */
export function notFound(kind: string, ref: string): Fault {
  return new Fault(apiFaults.not_found, `${kind} "${ref}" not found`);
}
