import { isObject, objectOf } from "@cloudwright/platform";
import { findField, setField } from "../cluster/own-fields.ts";

/** Applies a JSON merge patch (RFC 7386) and returns the new value. */
export function applyMergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const out: Record<string, unknown> = { ...objectOf(value) };
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete out[key];
    else setField(out, key, applyMergePatch(findField(out, key), change));
  }
  return out;
}
