import type { PlannedChangeJson } from "@cloudwright/api-client";
import type { Tone } from "../../design/phase.ts";

/** The changes of one module. */
export interface ChangeGroup {
  /** `module.vpc`, or empty for what lies in none. */
  readonly module: string;
  readonly changes: readonly PlannedChangeJson[];
}

/** What is most dangerous comes first. */
const order = ["replace", "delete", "update", "create", "forget", "other", "read", "none"];

/** How an action is written and painted. */
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

/** Groups the changes of a plan by module, in the order of how much they can hurt; what does not change is left out. */
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
  // What nobody knows counts as the worst.
  return place === -1 ? 0 : place;
}

/** `module.a.module.b["x"]` of `module.a.module.b["x"].aws_vpc.this`. */
function moduleOf(address: string): string {
  return /^((?:module\.[\w-]+(?:\[(?:"(?:[^"\\]|\\.)*"|\d+)\])?\.)+)/.exec(address)?.[1]?.slice(0, -1) ?? "";
}

/** Changes that have a word in their address, their action or a changed attribute; with actions given, only of those. */
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

/** A value as text: one line where it fits, documents in JSON as what they say. */
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
