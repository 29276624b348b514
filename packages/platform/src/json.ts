export type Json = null | boolean | number | string | Json[] | JsonObject;

export type JsonObject = { [key: string]: Json };

/** An immutable JSON value. */
export type ReadonlyJson = string | number | boolean | null | readonly ReadonlyJson[] | ReadonlyJsonObject;

/** An immutable JSON object. */
export interface ReadonlyJsonObject {
  readonly [key: string]: ReadonlyJson;
}

/** Parses JSON. Returns undefined if the input is invalid. */
export function parseJson(text: string): ReadonlyJson | undefined {
  try {
    return JSON.parse(text) as ReadonlyJson;
  } catch {
    return undefined;
  }
}

/** Returns whether a value is a JSON object rather than null or an array. */
export function isObject(value: unknown): value is ReadonlyJsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, otherwise an empty object. */
export function objectOf(value: Json | undefined): JsonObject;
export function objectOf(value: unknown): ReadonlyJsonObject;
export function objectOf(value: unknown): ReadonlyJsonObject {
  return isObject(value) ? value : {};
}

/** Returns the value if it is an array, otherwise an empty array. */
export function listOf(value: unknown): readonly ReadonlyJson[] {
  return Array.isArray(value) ? (value as ReadonlyJson[]) : [];
}

/** Returns the value if it is a string, otherwise "", the default in the contract. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value if it is a number, otherwise 0, the default in the contract. */
export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Returns the strings in an array. Returns an empty array if the value is not an array. */
export function textsOf(value: unknown): string[] {
  return listOf(value).filter((each) => typeof each === "string");
}

/** Returns the value if it is a non-empty string, otherwise undefined. */
export function findText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function findNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Returns the value at a path of object keys, or undefined if a key is missing. */
export function getAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let current = value;
  for (const name of path) {
    if (!isObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

/** Returns the string at a path of object keys, or "" if the value is missing or not a string. */
export function textAt(value: Json | undefined, ...path: string[]): string {
  return textOf(getAt(value, path));
}
