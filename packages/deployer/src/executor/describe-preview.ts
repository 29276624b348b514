import type { AttributePath, PlannedChange } from "./executor-plan.ts";
import type { PreviewItem } from "./preview-item.ts";
import { renderPath } from "./render-path.ts";

const order = ["infrastructure", "nodes", "add-ons"];

/**
 * Describes planned changes for a preview: infrastructure first, then nodes, then add-ons. `describeSpecial` may replace the generic
 * description of a resource.
 */
export function describePreview(
  changes: readonly PlannedChange[],
  describeSpecial: (change: PlannedChange) => readonly PreviewItem[] | undefined = () => undefined,
): PreviewItem[] {
  const items = changes
    .filter(({ mode, action }) => mode === "managed" && action !== "none")
    .flatMap((change) => describeSpecial(change) ?? [describeInfrastructure(change)]);
  return items.toSorted((a, b) => order.indexOf(a.part) - order.indexOf(b.part) || a.name.localeCompare(b.name));
}

/** Describes a planned change to a resource: the names of the changed attributes and, for version attributes, also their values. */
export function describeInfrastructure(change: PlannedChange): PreviewItem {
  const { address, action } = change;
  return { part: "infrastructure", name: address, action, message: describeAttributes(change) };
}

function describeAttributes({ action, before, after, changedPaths, replacePaths }: PlannedChange): string {
  if (action === "create" || action === "delete") return "";
  if (action === "replace") return `because of ${listAttributes(replacePaths).join(", ")}`;
  // The cloud computes unknown values. Attributes with unknown values are listed only if no attribute with a known value changes.
  const known = changedPaths.filter(({ isUnknown }) => !isUnknown);
  const names = listAttributes((known.length > 0 ? known : changedPaths).map(({ path }) => path)).filter(
    (name) => name !== "tags_all",
  );
  return names.map((name) => describeAttribute(name, before, after)).join(", ");
}

function describeAttribute(name: string, before: unknown, after: unknown): string {
  const [from, to] = [before, after].map((value) => ((value ?? {}) as Readonly<Record<string, unknown>>)[name]);
  return /(^|_)version$/.test(name) && typeof from === "string" && typeof to === "string" ? `${name} ${from} -> ${to}` : name;
}

/** Returns the sorted, unique top-level attribute names of the paths. */
export function listAttributes(paths: readonly AttributePath[]): string[] {
  return [...new Set(paths.map((path) => renderPath(path.slice(0, 1))))].filter((name) => name !== "").toSorted();
}
