import type { Json, JsonObject } from "./task.ts";

/** The text at a place of a spec, or nothing. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The number at a place of a spec; 0 where there is none, as in the contract. */
export function numberOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** The list of texts at a place of a spec, or none. */
export function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** The object at a place of a spec, or an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
