import type { DriftItemRow } from "@cloudwright/store";
import type { Overwritten } from "./find-overwritten.ts";
import { indexPaths, type PathIndex } from "./index-paths.ts";
import type { Work } from "./work.ts";

/** Returns a function that tells whether a drift report contains all external changes that a plan would undo in a resource. */
export function indexReported(reported: readonly DriftItemRow[], work: Work): (overwritten: Overwritten) => boolean {
  // If several items have the same address, the first one counts.
  const items = new Map(reported.toReversed().map((item) => [item.address, item]));
  const indexes = new Map<string, PathIndex>();
  return ({ address, paths, combined = [] }) => {
    const item = items.get(address);
    if (item === undefined) return false;
    const known = indexes.get(address) ?? indexPaths(item.paths, work);
    indexes.set(address, known);
    if (item.action === "delete") return true;
    // The report may contain only some of the attributes that a combined path stands for.
    return paths.every((path) => known.overlaps(path)) && combined.every((path) => known.covers(path));
  };
}
