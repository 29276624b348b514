import { findCloud, type CloudName, type JsonObject } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import { getAt } from "./json-tree.ts";
import type { JudgedEntity } from "./judge.ts";

/** Returns a violation for each setting that a change turns off although the cloud does not allow it. */
export function findTurnedOff({ kind, spec }: JudgedEntity, before: JsonObject, cloud: CloudName): FieldViolation[] {
  const facts = findCloud(cloud);
  return (facts?.lastingSettings ?? []).flatMap((setting): FieldViolation[] => {
    const { path, replacedBy } = setting;
    const isReplaced = replacedBy !== undefined && [before, spec].some((each) => isOn(each, replacedBy));
    if (setting.kind !== kind || isReplaced || !isOn(before, path) || isOn(spec, path)) return [];
    const message = `cannot be turned off, because ${facts?.title} does not allow it; create a new ${kind} instead`;
    return [{ field: `spec.${path.join(".")}`, message }];
  });
}

function isOn(spec: JsonObject, path: readonly string[]): boolean {
  const value = getAt(spec, path);
  return value !== undefined && value !== null && value !== false && value !== "";
}
