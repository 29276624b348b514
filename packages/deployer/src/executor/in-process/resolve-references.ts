import type { Json, JsonObject } from "../../task.ts";
import { findReference } from "./blueprint.ts";

/** Looks up a resource's attributes by address. Returns undefined if they are unknown until the resource is created. */
export type AttributesOf = (address: string) => JsonObject | undefined;

/** A resource's attributes with references replaced by values. */
export interface ResolvedAttributes {
  /** Unknown values are null. */
  readonly value: JsonObject;
  /** Like `value`, but unknown values keep their references. */
  readonly open: JsonObject;
  /** Contains `true` wherever a value is unknown. */
  readonly unknown: JsonObject;
}

/** Replaces references in a resource's attributes with the values that they point to. */
export function resolveReferences(attributes: JsonObject, attributesOf: AttributesOf): ResolvedAttributes {
  const value: JsonObject = {};
  const open: JsonObject = {};
  const unknown: JsonObject = {};
  for (const [name, given] of Object.entries(attributes)) {
    const resolved = resolve(given, attributesOf);
    value[name] = resolved.value;
    open[name] = resolved.open;
    if (resolved.unknown !== false) unknown[name] = resolved.unknown;
  }
  return { value, open, unknown };
}

interface Resolved {
  readonly value: Json;
  readonly open: Json;
  readonly unknown: Json;
}

function resolve(value: Json, attributesOf: AttributesOf): Resolved {
  const reference = findReference(value);
  if (reference !== undefined) {
    const attributes = attributesOf(reference.address);
    if (attributes === undefined) return { value: null, open: value, unknown: true };
    const known = attributes[reference.attribute] ?? null;
    return { value: known, open: known, unknown: false };
  }
  if (typeof value !== "object" || value === null) return { value, open: value, unknown: false };
  if (Array.isArray(value)) {
    const items = value.map((item) => resolve(item, attributesOf));
    const isKnown = items.every(({ unknown }) => unknown === false);
    return {
      value: items.map((item) => item.value),
      open: items.map((item) => item.open),
      unknown: isKnown ? false : items.map((item) => item.unknown),
    };
  }
  const inner = resolveReferences(value, attributesOf);
  return { ...inner, unknown: Object.keys(inner.unknown).length === 0 ? false : inner.unknown };
}
