import type { JsonObject } from "@cloudwright/contract";
import type { DriftItemRow } from "@cloudwright/store";
import { findOverwritten, isOverlapping } from "./find-overwritten.ts";

/**
 * Counts the resources in a drift report that still differ and whose external changes a plan would keep. A plan keeps changes to
 * attributes that the configuration does not set.
 */
export function countKept(
  drift: readonly JsonObject[],
  changes: readonly JsonObject[],
  reported: readonly DriftItemRow[],
): number {
  const undone = findOverwritten(drift, changes);
  return reported.filter(({ address, action, paths }) => {
    const isDrifted = drift.some((found) => found["address"] === address && found["action"] !== "delete");
    const planned = changes.find((change) => change["address"] === address)?.["action"];
    if (planned === "delete" || planned === "replace") return false;
    const own = undone.find((each) => each.address === address)?.paths ?? [];
    return isDrifted && action !== "delete" && !paths.some((path) => own.some((each) => isOverlapping(path, each)));
  }).length;
}
