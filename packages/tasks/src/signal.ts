import type { Logger } from "@cloudwright/platform";
import { createSignal, type Pool, type Signal } from "@cloudwright/store";

/** Creates the signal that tells waiting agents that a commit may have made a task available. */
export function createTaskSignal(deps: { readonly pool: Pool; readonly log: Logger }): Signal {
  return createSignal(deps, "cloudwright_tasks");
}
