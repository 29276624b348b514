import type { PlannedAttributeJson, PlannedChangeJson } from "@cloudwright/api-client";
import type { Paint } from "../output/paint.ts";
import { flatten } from "../output/table.ts";

export interface PlanLook {
  readonly paint: Paint;
  /** True to show values at full length. */
  readonly wide: boolean;
}

const widestPath = 40;
const longestValue = 120;

/** Renders the changed attributes of a resource, one per line. A deleted resource has none. */
export function renderAttributes(change: PlannedChangeJson, { paint, wide }: PlanLook): string[] {
  const { action = "", attributes = [], replacePaths = [] } = change;
  if (action === "delete" || action === "forget") return [];
  const width = Math.min(widestPath, Math.max(0, ...attributes.map(({ path = "" }) => path.length)));
  const lines = attributes.map((attribute) => {
    const { path = "" } = attribute;
    const line = flatten(`${path.padEnd(width)} = ${renderValues(attribute, action, wide ? Infinity : longestValue)}`);
    return replacePaths.some((forcing) => isWithin(path, forcing)) ? paint.colour("red", `${line} ${forces}`) : line;
  });
  // A path that forces replacement may be missing from the list of changed attributes.
  const unlisted = replacePaths.filter((forcing) => !attributes.some(({ path = "" }) => isWithin(path, forcing)));
  return [...lines, ...unlisted.map((path) => paint.colour("red", flatten(`${path} ${forces}`)))];
}

const forces = "# forces replacement";

function renderValues(attribute: PlannedAttributeJson, action: string, longest: number): string {
  const { before, after, sensitive, unknown, members } = attribute;
  if (members !== undefined) return `(${members} attributes)`;
  const show = (value: unknown): string => (sensitive === true ? "(sensitive)" : cut(JSON.stringify(value ?? null), longest));
  const next = unknown === true ? "(known after apply)" : show(after);
  if (action === "create") return next;
  return sensitive === true && unknown !== true ? next : `${show(before)} -> ${next}`;
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}... (${text.length} characters)`;
}

/** Returns whether `path` is `outer` or a path inside it. */
function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}
