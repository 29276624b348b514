import type { JsonObject } from "@cloudwright/contract";
import { rulesOf } from "../kinds/rules.ts";
import { isEqual, isObject } from "./json-tree.ts";

/** Returns whether a spec change affects only the field that controls the deletion. No other change is allowed during a deletion. */
export function isAboutDeletion(kind: string, before: JsonObject, after: JsonObject): boolean {
  const { deletionField: field, volumesField } = rulesOf(kind);
  if (volumesField !== undefined) {
    const { [volumesField]: _before, ...rest } = before;
    const { [volumesField]: _after, ...others } = after;
    return isEqual(rest, others);
  }
  return field !== undefined && isEqual(without(before, field), without(after, field));
}

function without(spec: JsonObject, [part, field]: readonly [string, string]): JsonObject {
  const inner = spec[part];
  if (!isObject(inner)) return spec;
  const { [field]: _changed, ...rest } = inner;
  return { ...spec, [part]: rest };
}
