import type { Logger } from "@cloudwright/platform";
import { createSignal, type Pool, type Signal } from "@cloudwright/store";

/** Tells who waits for tasks that something was committed which may let them have one. */
export function createTaskSignal(deps: { readonly pool: Pool; readonly log: Logger }): Signal {
  return createSignal(deps, "cloudwright_tasks");
}
