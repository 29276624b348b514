import { parseState } from "@cloudwright/terraform";
import type { Stack } from "../../stack.ts";
import type { PlannedChange } from "../executor-plan.ts";

/**
 * Returns whether a plan deletes a protected resource in order to replace it. Returns false while the state contains resources that block
 * the deletion, such as the node groups of a cluster. In that case, the deletion would fail and leave the resource unprotected. `state` is
 * undefined if it is kept in an external backend.
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
