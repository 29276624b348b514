import type { JsonObject } from "@cloudwright/contract";
import type { DriftItemRow } from "@cloudwright/store";
import { findOverwritten } from "./find-overwritten.ts";
import { indexPaths } from "./index-paths.ts";
import type { PlanIndex } from "./index-plan.ts";

/**
 * Counts the resources in a drift report that still differ and whose external changes a plan would keep. A plan keeps changes to
 * attributes that the configuration does not set.
 */
export async function countKept(
  drift: readonly JsonObject[],
  plan: PlanIndex,
  reported: readonly DriftItemRow[],
): Promise<number> {
  const { work } = plan;
  const undone = new Map(
    (await findOverwritten(drift, plan)).toReversed().map(({ address, paths }) => [address, indexPaths(paths, work)]),
  );
  const drifted = new Set(drift.filter(({ action }) => action !== "delete").map(({ address }) => address));
  let kept = 0;
  for (const { address, action, paths } of reported) {
    const planned = plan.get(address).action;
    const isRemoved = action === "delete" || planned === "delete" || planned === "replace";
    const own = undone.get(address);
    if (!isRemoved && drifted.has(address) && !paths.some((path) => own?.overlaps(path) === true)) kept += 1;
    work.add(1);
    await work.rest();
  }
  return kept;
}
