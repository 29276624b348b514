import type { JsonObject } from "@cloudwright/contract";
import { isEqual, isObject } from "./json-tree.ts";

/** Of each kind the place in its spec that says how it is to go. */
const places: Readonly<Record<string, readonly [string, string]>> = { Storage: ["bucket", "forceDestroy"] };

/** Whether a change of the spec only says how the entity is to go: that may still be said while it is being deleted, nothing else. */
export function isAboutDeletion(kind: string, before: JsonObject, after: JsonObject): boolean {
  const place = places[kind];
  return place !== undefined && isEqual(without(before, place), without(after, place));
}

function without(spec: JsonObject, [part, field]: readonly [string, string]): JsonObject {
  const inner = spec[part];
  if (!isObject(inner)) return spec;
  const { [field]: _said, ...rest } = inner;
  return { ...spec, [part]: rest };
}
