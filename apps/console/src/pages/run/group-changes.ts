import type { PlannedChangeJson } from "@cloudwright/api-client";
import type { Tone } from "../../design/phase.ts";

/** The changes in one module. */
export interface ChangeGroup {
  /** The module path, such as `module.vpc`. Empty for the root module. */
  readonly module: string;
  readonly changes: readonly PlannedChangeJson[];
}

/** Actions in display order, most destructive first. */
const order = ["replace", "delete", "update", "create", "forget", "other", "read", "none"];

/** The symbol and tone of each action. */
export const signs: Readonly<Record<string, { readonly sign: string; readonly tone: Tone }>> = {
  create: { sign: "+", tone: "good" },
  update: { sign: "~", tone: "warn" },
  replace: { sign: "−/+", tone: "bad" },
  delete: { sign: "−", tone: "bad" },
  read: { sign: "<=", tone: "idle" },
  forget: { sign: "×", tone: "idle" },
  none: { sign: "=", tone: "idle" },
  other: { sign: "?", tone: "bad" },
};

/**
 * Groups the changes of a plan by module. Sorts the modules and the changes in each module, most destructive first. Omits unchanged
 * resources.
 */
export function groupChanges(changes: readonly PlannedChangeJson[]): ChangeGroup[] {
  const groups = new Map<string, PlannedChangeJson[]>();
  for (const change of changes) {
    if (change.action === "none") continue;
    const module = moduleOf(change.address ?? "");
    groups.set(module, [...(groups.get(module) ?? []), change]);
  }
  return [...groups]
    .map(([module, list]) => ({
      module,
      changes: list.toSorted((a, b) => rank(a) - rank(b) || (a.address ?? "").localeCompare(b.address ?? "")),
    }))
    .toSorted((a, b) => rank(a.changes[0]) - rank(b.changes[0]) || a.module.localeCompare(b.module));
}

function rank(change: PlannedChangeJson | undefined): number {
  const place = order.indexOf(change?.action ?? "other");
  // Unknown actions count as the most destructive.
  return place === -1 ? 0 : place;
}

/** Returns `module.a.module.b["x"]` for `module.a.module.b["x"].example_network.this`. */
function moduleOf(address: string): string {
  return /^((?:module\.[\w-]+(?:\[(?:"(?:[^"\\]|\\.)*"|\d+)\])?\.)+)/.exec(address)?.[1]?.slice(0, -1) ?? "";
}

/**
 * Returns the changes whose address, action or attributes contain a word. If `actions` is not empty, only changes with these actions
 * match.
 */
export function filterChanges(
  changes: readonly PlannedChangeJson[],
  word: string,
  actions: ReadonlySet<string>,
): readonly PlannedChangeJson[] {
  const wanted = word.trim().toLowerCase();
  const has = (text: string | undefined): boolean => text?.toLowerCase().includes(wanted) === true;
  return changes.filter(
    ({ address, action = "", attributes = [] }) =>
      (actions.size === 0 || actions.has(action)) &&
      (wanted === "" || has(address) || has(action) || attributes.some(({ path }) => has(path))),
  );
}

const longestLine = 72;

/** Renders a value on one line if it fits. Strings that contain JSON are parsed first. */
export function renderValue(value: unknown): string {
  if (value === null || value === undefined) return "null";
  const document = typeof value === "string" ? parseDocument(value) : undefined;
  if (document !== undefined) return `jsonencode(${render(document)})`;
  return render(value);
}

function render(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length <= longestLine || typeof value !== "object" ? line : JSON.stringify(value, undefined, 2);
}

function parseDocument(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
