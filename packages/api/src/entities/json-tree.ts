import { isObject } from "@cloudwright/platform";
import type { FieldPath, Json, JsonObject } from "@cloudwright/contract";

export { getAt, isObject, textAt } from "@cloudwright/platform";

/** Returns a copy with the value at a path replaced, or removed if `next` is undefined. */
export function setAt(value: JsonObject, path: FieldPath, next: Json | undefined, depth = 0): JsonObject {
  const name = path[depth];
  if (name === undefined) return value;
  const copy = { ...value };
  const below = copy[name];
  if (depth < path.length - 1) {
    if (next === undefined && !isObject(below)) return value;
    copy[name] = setAt(isObject(below) ? below : {}, path, next, depth + 1);
  } else if (next === undefined) delete copy[name];
  else copy[name] = next;
  return copy;
}

/** Applies a JSON merge patch (RFC 7396): objects are merged, null removes a value, and anything else replaces it. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  // Unlike assignments, `fromEntries` keeps __proto__ as an ordinary key, so that validation can reject it.
  return Object.fromEntries(merged);
}

/** Returns whether two JSON values are equal, ignoring the order of keys. */
export function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]));
}

/** Returns whether a value is nested too deeply. Call it before recursing into untrusted input. */
export function isDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const item of Object.values(value)) if (isDeeperThan(item, levels - 1)) return true;
  return false;
}
