import type { Json, JsonObject } from "../../task.ts";
import { findReference } from "./blueprint.ts";

/** Returns the attributes of the resource at an address, or undefined if they are unknown until it was created. */
export type AttributesOf = (address: string) => JsonObject | undefined;

/** Attributes with their references replaced. */
export interface ResolvedAttributes {
  /** Unknown values are null. */
  readonly value: JsonObject;
  /** Has the value true at every place where the value is unknown. */
  readonly unknown: JsonObject;
}

/** Replaces the references in the attributes of a resource by the values that they refer to. */
export function resolveReferences(attributes: JsonObject, attributesOf: AttributesOf): ResolvedAttributes {
  const value: JsonObject = {};
  const unknown: JsonObject = {};
  for (const [name, given] of Object.entries(attributes)) {
    const resolved = resolve(given, attributesOf);
    value[name] = resolved.value;
    if (resolved.unknown !== false) unknown[name] = resolved.unknown;
  }
  return { value, unknown };
}

function resolve(value: Json, attributesOf: AttributesOf): { readonly value: Json; readonly unknown: Json } {
  const reference = findReference(value);
  if (reference !== undefined) {
    const attributes = attributesOf(reference.address);
    return attributes === undefined
      ? { value: null, unknown: true }
      : { value: attributes[reference.attribute] ?? null, unknown: false };
  }
  if (typeof value !== "object" || value === null) return { value, unknown: false };
  if (Array.isArray(value)) {
    const items = value.map((item) => resolve(item, attributesOf));
    const isKnown = items.every(({ unknown }) => unknown === false);
    return { value: items.map((item) => item.value), unknown: isKnown ? false : items.map((item) => item.unknown) };
  }
  const inner = resolveReferences(value, attributesOf);
  return { value: inner.value, unknown: Object.keys(inner.unknown).length === 0 ? false : inner.unknown };
}
