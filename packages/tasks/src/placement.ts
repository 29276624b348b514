import { renderCanonicalJson } from "./canonical-json.ts";

/** Labels that an agent must have to get a task, such as a cloud, an account or a region. */
export type Placement = Readonly<Record<string, string>>;

/** An agent's labels. Each has one or several values. `*` matches any value. */
export type AgentLabels = Readonly<Record<string, string | readonly string[]>>;

/** Renders a placement as canonical JSON, so that the order of its labels does not matter. */
export function renderPlacement(placement: Placement): string {
  return renderCanonicalJson(placement);
}

/** Parses the result of `renderPlacement`. */
export function parsePlacement(text: string): Placement {
  return JSON.parse(text) as Placement;
}

/** Parses an agent's labels. Commas separate several values. */
export function parseAgentLabels(labels: Readonly<Record<string, string>>): AgentLabels {
  return Object.fromEntries(
    Object.entries(labels).map(([name, text]) => {
      const values = text.split(",").map((value) => value.trim());
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

/** Returns the required labels that an agent does not have. */
export function findMissingLabels(placement: Placement, labels: AgentLabels): Placement {
  return Object.fromEntries(Object.entries(placement).filter(([name, value]) => !hasLabel(labels, name, value)));
}

function hasLabel(labels: AgentLabels, name: string, value: string): boolean {
  const own = Object.hasOwn(labels, name) ? labels[name] : undefined;
  if (own === undefined) return false;
  return typeof own === "string" ? own === value || own === "*" : own.includes(value) || own.includes("*");
}
