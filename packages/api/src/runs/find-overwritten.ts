import type { JsonObject } from "@cloudwright/contract";
import { textAt } from "../entities/json-tree.ts";
import { attributesOf, type PlanIndex } from "./index-plan.ts";

/** A drifted resource and the external changes to it that a plan would undo. `*` stands for the whole resource. */
export interface Overwritten {
  readonly address: string;
  readonly paths: readonly string[];
  /** Those of the paths that stand for several attributes. Absent if there are none. */
  readonly combined?: readonly string[];
}

/**
 * Compares the drift that a plan found with the changes it would make. Returns the drifted resources whose external changes the plan would
 * undo. A value that an interrupted apply was supposed to set is not an external change. A change to an attribute whose planned value is
 * known only after the apply also counts as undone. The exception is a value that the cloud computes because the configuration does not set
 * it.
 */
export async function findOverwritten(drift: readonly JsonObject[], plan: PlanIndex): Promise<Overwritten[]> {
  const overwritten: Overwritten[] = [];
  for (const found of drift) {
    const address = textAt(found, "address");
    const paths = listUndone(found, plan);
    if (paths.length > 0) overwritten.push({ address, paths, ...findCombined(found, paths) });
    plan.work.add(1 + paths.length);
    await plan.work.rest();
  }
  return overwritten;
}

function findCombined(found: JsonObject, paths: readonly string[]): Pick<Overwritten, "combined"> {
  const several = attributesOf(found).filter(({ members }) => members !== undefined);
  if (several.length === 0) return {};
  const names = new Set(several.map((attribute) => textAt(attribute, "path")));
  const combined = paths.filter((path) => names.has(path));
  return combined.length === 0 ? {} : { combined };
}

/** Returns the paths of a drifted resource's attributes whose external changes a plan would undo. */
export function listUndone(found: JsonObject, plan: PlanIndex): string[] {
  const planned = plan.get(textAt(found, "address"));
  const { action } = planned;
  if (found["action"] === "delete") return (action === "create" || action === "replace") && !planned.wasRemoved ? ["*"] : [];
  if (action !== "update" && action !== "replace") return [];
  return attributesOf(found)
    .filter((attribute) => !planned.hasWanted(attribute))
    .map((attribute) => textAt(attribute, "path"))
    .filter((path) => action === "replace" || planned.touched.overlaps(path));
}
