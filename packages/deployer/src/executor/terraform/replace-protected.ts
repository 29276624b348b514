import { parseState } from "@cloudwright/terraform";
import type { Stack } from "../../stack.ts";
import type { PlannedChange } from "../executor-plan.ts";

/**
 * Returns whether a plan replaces a protected resource that can be deleted before its replacement is created. Returns false while the state
 * contains resources that block the deletion, such as the node groups of a cluster. The deletion would fail, and the protected resource
 * stays as it is. `state` is undefined if it is in an external backend.
 */
export function replacesProtected(
  { protectedTypes = {} }: Pick<Stack, "protectedTypes">,
  changes: readonly Pick<PlannedChange, "resourceType" | "action">[],
  state: string | undefined,
): boolean {
  const replaced = changes.filter(({ resourceType, action }) => action === "replace" && resourceType in protectedTypes);
  if (replaced.length === 0 || state === undefined) return false;
  const present = new Set(parseState(state).resources.map(({ resourceType }) => resourceType));
  return replaced.every(({ resourceType }) => protectedTypes[resourceType]?.every((type) => !present.has(type)) === true);
}
