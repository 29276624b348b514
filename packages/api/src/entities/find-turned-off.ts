import { findCloud, type CloudName, type JsonObject } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import { getAt } from "./json-tree.ts";
import type { JudgedEntity } from "./judge.ts";

/**
 * Returns a violation for each setting that a change turns off or weakens although the cloud does not allow it. `isApplied` says whether
 * the current spec has been applied in the cloud.
 */
export function findTurnedOff(
  { kind, spec }: JudgedEntity,
  before: JsonObject,
  cloud: CloudName,
  isApplied: boolean,
): FieldViolation[] {
  const facts = findCloud(cloud);
  return (facts?.lastingSettings ?? []).flatMap((setting): FieldViolation[] => {
    const { path, replacedBy, lockedBy, findLoss, isAppliedFirst = false } = setting;
    const isReplaced = replacedBy !== undefined && [before, spec].some((each) => isOn(each, replacedBy));
    const isLocked = lockedBy === undefined || isOn(before, lockedBy);
    if (setting.kind !== kind || isReplaced || !isLocked || !isOn(before, path) || (isAppliedFirst && !isApplied)) return [];
    const field = `spec.${path.join(".")}`;
    if (findLoss !== undefined) {
      const message = findLoss(getAt(before, path), getAt(spec, path));
      return message === undefined ? [] : [{ field, message }];
    }
    if (isOn(spec, path)) return [];
    const because = lockedBy === undefined ? "" : ` once spec.${lockedBy.join(".")} has been set`;
    const message = `cannot be turned off${because}, because ${facts?.title} does not allow it; create a new ${kind} instead`;
    return [{ field, message }];
  });
}

function isOn(spec: JsonObject, path: readonly string[]): boolean {
  const value = getAt(spec, path);
  return value !== undefined && value !== null && value !== false && value !== "";
}
