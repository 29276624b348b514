import type { ValueMap } from "../values/value.ts";

/** Returns the attribute names in a path template such as `projects/{project}/networks/{name}`. */
export function listPathNames(template: string): readonly string[] {
  return [...template.matchAll(/\{(?<name>\w+)\}/g)].map((match) => match.groups?.["name"] ?? "");
}

/** Fills in a path template. Attributes without a value become empty strings. */
export function renderPath(template: string, values: ValueMap): string {
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  });
}
