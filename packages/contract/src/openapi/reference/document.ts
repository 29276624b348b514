import type { Json, JsonObject } from "../../entities.ts";

/** The object below a name; empty when there is none. */
export function objectAt(parent: JsonObject, name: string): JsonObject {
  return asObject(parent[name]);
}

/** The list below a name, as objects; empty when there is none. */
export function listAt(parent: JsonObject, name: string): JsonObject[] {
  const value = parent[name];
  return Array.isArray(value) ? value.map(asObject) : [];
}

/** The text below a name; empty when there is none. */
export function textAt(parent: JsonObject, name: string): string {
  const value = parent[name];
  return typeof value === "string" ? value : "";
}

/** The members of an object, each as an object. */
export function membersOf(parent: JsonObject): [name: string, member: JsonObject][] {
  return Object.entries(parent).map(([name, member]) => [name, asObject(member)]);
}

/** The object that a `$ref` stands for; others are returned as they are. */
export function follow(document: JsonObject, value: JsonObject): JsonObject {
  const ref = textAt(value, "$ref");
  if (ref === "") return value;
  return ref.slice("#/".length).split("/").reduce(objectAt, document);
}

/** The last part of a `$ref`; empty when there is none. */
export function referredName(value: JsonObject): string {
  return textAt(value, "$ref").split("/").at(-1) ?? "";
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
