import { isObject } from "@cloudwright/platform";

/** Placeholder for a value that is not known yet. */
export const unknown: unique symbol = Symbol("unknown");

/**
 * A value in Terraform's type system. Terraform's numbers have 512 bits of precision and must be returned unchanged, so a number is either
 * a safe integer or a decimal string. A set is an array whose order does not matter.
 */
export type Value = null | boolean | number | string | typeof unknown | readonly Value[] | ValueMap;

/** An object or a map. */
export interface ValueMap {
  readonly [name: string]: Value;
}

/** A type in Terraform's JSON notation. */
export type ValueType =
  | "string"
  | "number"
  | "bool"
  | "dynamic"
  | readonly ["list" | "set" | "map", ValueType]
  | readonly ["object", Readonly<Record<string, ValueType>>, (readonly string[])?]
  | readonly ["tuple", readonly ValueType[]];

/** Returns whether a value is an object or a map. */
export function isMap(value: Value | undefined): value is ValueMap {
  return isObject(value);
}

/** Returns whether a value is a list, a set or a tuple. */
export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** Returns whether a value contains an unknown value at any depth. */
export function hasUnknown(value: Value): boolean {
  if (value === unknown) return true;
  if (isList(value)) return value.some(hasUnknown);
  return isMap(value) && Object.values(value).some(hasUnknown);
}
