import { renderCanonicalJson } from "./canonical-json.ts";

/** The labels that an agent must have to get a task: cloud, account, region or a capability. */
export type Placement = Readonly<Record<string, string>>;

/** The labels of an agent: one value, several, or `*` for any. */
export type AgentLabels = Readonly<Record<string, string | readonly string[]>>;

/** Renders a placement as a canonical text, regardless of the order of its labels. */
export function renderPlacement(placement: Placement): string {
  return renderCanonicalJson(placement);
}

/** Parses the text of `renderPlacement`. */
export function parsePlacement(text: string): Placement {
  return JSON.parse(text) as Placement;
}

/** Parses the labels that an agent reports, with commas between several values. */
export function parseAgentLabels(labels: Readonly<Record<string, string>>): AgentLabels {
  return Object.fromEntries(
    Object.entries(labels).map(([name, text]) => {
      const values = text.split(",").map((value) => value.trim());
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

/** Returns the labels of a placement that an agent does not have. */
export function findMissingLabels(placement: Placement, labels: AgentLabels): Placement {
  return Object.fromEntries(Object.entries(placement).filter(([name, value]) => !hasLabel(labels, name, value)));
}

function hasLabel(labels: AgentLabels, name: string, value: string): boolean {
  const own = Object.hasOwn(labels, name) ? labels[name] : undefined;
  if (own === undefined) return false;
  return typeof own === "string" ? own === value || own === "*" : own.includes(value) || own.includes("*");
}
