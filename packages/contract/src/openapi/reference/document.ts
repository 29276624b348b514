import { objectOf, textOf } from "@cloudwright/platform/json";
import type { JsonObject } from "../../entities.ts";

/** Returns the object at a key, or an empty object. */
export function objectAt(parent: JsonObject, name: string): JsonObject {
  return objectOf(parent[name]);
}

/** Returns the list of objects at a key, or an empty list. */
export function listAt(parent: JsonObject, name: string): JsonObject[] {
  const value = parent[name];
  return Array.isArray(value) ? value.map((each) => objectOf(each)) : [];
}

/** Returns the string at a key, or "". */
export function textAt(parent: JsonObject, name: string): string {
  return textOf(parent[name]);
}

/** Returns the entries of an object. Values that are not objects become empty objects. */
export function membersOf(parent: JsonObject): [name: string, member: JsonObject][] {
  return Object.entries(parent).map(([name, member]) => [name, objectOf(member)]);
}

/** Resolves a `$ref`. Returns the value itself if it has no `$ref`. */
export function follow(document: JsonObject, value: JsonObject): JsonObject {
  const ref = textAt(value, "$ref");
  if (ref === "") return value;
  return ref.slice("#/".length).split("/").reduce(objectAt, document);
}

/** Returns the last segment of a `$ref`, or "" if there is none. */
export function referredName(value: JsonObject): string {
  return textAt(value, "$ref").split("/").at(-1) ?? "";
}
