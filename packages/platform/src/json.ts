/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** A JSON value that the reader does not change. */
export type ReadonlyJson = string | number | boolean | null | readonly ReadonlyJson[] | ReadonlyJsonObject;

/** A JSON object that the reader does not change. */
export interface ReadonlyJsonObject {
  readonly [key: string]: ReadonlyJson;
}

/** Parses a JSON text. Returns undefined if the text is not JSON. */
export function parseJson(text: string): ReadonlyJson | undefined {
  try {
    return JSON.parse(text) as ReadonlyJson;
  } catch {
    return undefined;
  }
}

/** Returns whether a value is a JSON object, that is neither null nor an array. */
export function isObject(value: unknown): value is ReadonlyJsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, else an empty object. */
export function objectOf(value: Json | undefined): JsonObject;
export function objectOf(value: unknown): ReadonlyJsonObject;
export function objectOf(value: unknown): ReadonlyJsonObject {
  return isObject(value) ? value : {};
}

/** Returns the value if it is an array, else an empty array. */
export function listOf(value: unknown): readonly ReadonlyJson[] {
  return Array.isArray(value) ? (value as ReadonlyJson[]) : [];
}

/** Returns the value if it is a string, else "", which is the contract's default. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value if it is a number, else 0, which is the contract's default. */
export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Returns the strings of an array, and no strings if the value is not an array. */
export function textsOf(value: unknown): string[] {
  return listOf(value).filter((each) => typeof each === "string");
}

/** Returns the value if it is a string with at least one character. */
export function findText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the value if it is a number. */
export function findNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Returns the value at a path of object keys, or undefined if an object on the path lacks its key. */
export function getAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let current = value;
  for (const name of path) {
    if (!isObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

/** Returns the string at a path of object keys, or "" if there is none. */
export function textAt(value: Json | undefined, ...path: string[]): string {
  return textOf(getAt(value, path));
}
