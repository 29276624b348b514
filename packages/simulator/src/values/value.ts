import { isObject } from "@cloudwright/platform";
/** A value that is not known yet. */
export const unknown: unique symbol = Symbol("unknown");

/**
 * A value of Terraform's type system. Numbers are whole ones that a double holds exactly, or else decimal text: Terraform's have 512
 * bits, and must come back unchanged. Sets are arrays, their order means nothing.
 */
export type Value = null | boolean | number | string | typeof unknown | readonly Value[] | ValueMap;

/** An object or a map. */
export interface ValueMap {
  readonly [name: string]: Value;
}

/** A type as Terraform writes it in JSON. */
export type ValueType =
  | "string"
  | "number"
  | "bool"
  | "dynamic"
  | readonly ["list" | "set" | "map", ValueType]
  | readonly ["object", Readonly<Record<string, ValueType>>, (readonly string[])?]
  | readonly ["tuple", readonly ValueType[]];

/** Whether a value is an object or a map. */
export function isMap(value: Value | undefined): value is ValueMap {
  return isObject(value);
}

/** Whether a value is a list, a set or a tuple. */
export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether anything in a value is not known yet. */
export function hasUnknown(value: Value): boolean {
  if (value === unknown) return true;
  if (isList(value)) return value.some(hasUnknown);
  return isMap(value) && Object.values(value).some(hasUnknown);
}
