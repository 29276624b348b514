import type { ValueMap } from "../values/value.ts";

/** The attributes that a path such as `projects/{project}/networks/{name}` names. */
export function listPathNames(template: string): readonly string[] {
  return [...template.matchAll(/\{(?<name>\w+)\}/g)].map((match) => match.groups?.["name"] ?? "");
}

/** Fills a path in; what is not known is left out. */
export function renderPath(template: string, values: ValueMap): string {
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  });
}
