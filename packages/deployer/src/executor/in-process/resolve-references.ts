import type { Json, JsonObject } from "../../task.ts";
import { findReference } from "./blueprint.ts";

/** Returns the attributes of the resource at an address, or undefined if they are unknown until it was created. */
export type AttributesOf = (address: string) => JsonObject | undefined;

/** Attributes with their references replaced. */
export interface ResolvedAttributes {
  /** Unknown values are null. */
  readonly value: JsonObject;
  /** The same, with references in place of unknown values. */
  readonly open: JsonObject;
  /** Has the value true at every place where the value is unknown. */
  readonly unknown: JsonObject;
}

/** Replaces the references in the attributes of a resource by the values that they refer to. */
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
