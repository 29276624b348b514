import { renderCanonicalJson } from "./canonical-json.ts";

/** The labels an agent must have to be given a task: cloud, account, region, a capability. */
export type Placement = Readonly<Record<string, string>>;

/** The labels of an agent: one value, several, or `*` for any. */
export type AgentLabels = Readonly<Record<string, string | readonly string[]>>;

/** A placement as the one text that stands for it, whatever the order of its labels. */
export function renderPlacement(placement: Placement): string {
  return renderCanonicalJson(placement);
}

/** The placement that a text of `renderPlacement` stands for. */
export function parsePlacement(text: string): Placement {
  return JSON.parse(text) as Placement;
}

/** The labels of an agent as it says them: several values are separated by commas. */
export function parseAgentLabels(labels: Readonly<Record<string, string>>): AgentLabels {
  return Object.fromEntries(
    Object.entries(labels).map(([name, text]) => {
      const values = text.split(",").map((value) => value.trim());
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

/** What of a placement an agent with these labels lacks. */
export function findMissingLabels(placement: Placement, labels: AgentLabels): Placement {
  return Object.fromEntries(Object.entries(placement).filter(([name, value]) => !hasLabel(labels, name, value)));
}

function hasLabel(labels: AgentLabels, name: string, value: string): boolean {
  const own = Object.hasOwn(labels, name) ? labels[name] : undefined;
  if (own === undefined) return false;
  return typeof own === "string" ? own === value || own === "*" : own.includes(value) || own.includes("*");
}
