import type { JsonObject } from "@cloudwright/contract";
import { textAt } from "../entities/json-tree.ts";
import { indexPaths } from "./index-paths.ts";
import { attributesOf, type PlanIndex } from "./index-plan.ts";

/**
 * Returns the paths of a drifted resource's attributes whose external changes a plan would keep. `undone` contains the attribute paths
 * whose changes the plan would undo. Values that an interrupted apply was meant to set do not count as external changes.
 */
export function listKeptPaths(found: JsonObject, plan: PlanIndex, undone: readonly string[]): string[] {
  const { action, hasWanted } = plan.get(textAt(found, "address"));
  if (found["action"] === "delete" || action === "delete" || action === "replace") return [];
  const isUndone = indexPaths(undone, plan.work);
  return attributesOf(found)
    .filter((attribute) => !hasWanted(attribute))
    .map((attribute) => textAt(attribute, "path"))
    .filter((path) => path !== "" && !isUndone.overlaps(path));
}
