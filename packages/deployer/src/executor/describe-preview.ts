import type { ResourceChange } from "@cloudwright/terraform";
import { renderPath } from "./render-path.ts";

/** One thing that a change would do. */
export interface PreviewItem {
  readonly part: "infrastructure" | "nodes" | "add-ons";
  readonly name: string;
  readonly action: string;
  readonly message: string;
}

const order = ["infrastructure", "nodes", "add-ons"];

/** What a plan would do, for people: infrastructure, then nodes with how many of them are replaced, then add-ons. */
export function describePreview(changes: readonly ResourceChange[]): PreviewItem[] {
  const items = changes.filter(({ mode, action }) => mode === "managed" && action !== "none").map(describeChange);
  return items.toSorted((a, b) => order.indexOf(a.part) - order.indexOf(b.part) || a.name.localeCompare(b.name));
}

function describeChange(change: ResourceChange): PreviewItem {
  const { address, resourceType, action } = change;
  if (resourceType === "aws_eks_node_group") {
    return { part: "nodes", name: keyOf(address), action, message: describeNodes(change) };
  }
  if (resourceType === "aws_eks_addon") {
    return { part: "add-ons", name: keyOf(address), action, message: describeAddOn(change) };
  }
  return { part: "infrastructure", name: address, action, message: describeOther(change) };
}

/** The key of a resource: `default` of `aws_eks_node_group.pool["default"]`. */
function keyOf(address: string): string {
  return /\["(?<key>.*)"\]$/.exec(address)?.groups?.["key"] ?? address;
}

/** What makes EKS put new machines in the place of those that run. */
const renewing = new Set(["version", "release_version", "launch_template", "force_update_version"]);

function describeNodes({ action, before, after, changedPaths, replacePaths }: ResourceChange): string {
  const [from, to] = [countNodes(before), countNodes(after)];
  if (action === "create") return describeCount(to);
  if (action === "delete") return `${describeCount(from)} go`;
  const names = listNames(changedPaths.map(({ path }) => path));
  if (action === "replace")
    return `${describeCount(from)} replaced, all at once after their successors are there: ${listNames(replacePaths).join(", ")}`;
  const scaled = from === to ? [] : [`${from} -> ${to} nodes`];
  const renewed = names.some((name) => renewing.has(name)) ? [`${describeCount(from)} replaced, a third at a time`] : [];
  const others = names.filter((name) => name !== "scaling_config" && !renewing.has(name) && !name.startsWith("tags"));
  return [...renewed, ...scaled, ...others].join("; ") || names.join(", ");
}

function describeCount(count: number): string {
  return count === 1 ? "1 node" : `${count} nodes`;
}

function countNodes(value: unknown): number {
  const { scaling_config: sizes } = (value ?? {}) as { scaling_config?: readonly { desired_size?: number }[] };
  return sizes?.[0]?.desired_size ?? 0;
}

function describeAddOn({ before, after, changedPaths }: ResourceChange): string {
  const [from, to] = [before, after].map((value) => ((value ?? {}) as { addon_version?: string }).addon_version ?? "");
  const names = listNames(changedPaths.map(({ path }) => path)).filter((name) => name === "configuration_values");
  const versions = from === to || from === "" || to === "" ? to || from || "the version that EKS chooses" : `${from} -> ${to}`;
  return from === to && names.length > 0
    ? "its configuration"
    : [versions, ...(names.length > 0 ? ["its configuration"] : [])].join("; ");
}

function describeOther({ action, before, after, changedPaths, replacePaths }: ResourceChange): string {
  if (action === "create" || action === "delete") return "";
  if (action === "replace") return `because of ${listNames(replacePaths).join(", ")}`;
  const [from, to] = [before, after].map((value) => ((value ?? {}) as { version?: unknown }).version);
  // What the cloud computes anew is no change of anybody's.
  const asked = changedPaths.filter(({ isUnknown }) => !isUnknown);
  const names = listNames((asked.length > 0 ? asked : changedPaths).map(({ path }) => path)).filter(
    (name) => name !== "tags_all",
  );
  return names
    .map((name) => (name === "version" && typeof from === "string" && typeof to === "string" ? `version ${from} -> ${to}` : name))
    .join(", ");
}

function listNames(paths: readonly ResourceChange["replacePaths"][number][]): string[] {
  return [...new Set(paths.map((path) => renderPath(path.slice(0, 1))))].filter((name) => name !== "").toSorted();
}
