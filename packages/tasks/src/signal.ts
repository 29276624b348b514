import type { Logger } from "@cloudwright/platform";
import { createSignal, type Pool, type Signal } from "@cloudwright/store";

/** Creates the signal that wakes waiting agents after a commit that may have made tasks ready. */
export function createTaskSignal(deps: { readonly pool: Pool; readonly log: Logger }): Signal {
  return createSignal(deps, "cloudwright_tasks");
}
