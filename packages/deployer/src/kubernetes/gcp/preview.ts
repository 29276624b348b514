import { listAttributes } from "../../executor/describe-preview.ts";
import type { PlannedChange } from "../../executor/executor-plan.ts";
import type { PreviewItem } from "../../executor/preview-item.ts";

/** Describes planned changes to node pools. Returns undefined for other resources. */
export function describeGcpChange(change: PlannedChange): readonly PreviewItem[] | undefined {
  const { address, resourceType, action } = change;
  if (resourceType !== "google_container_node_pool") return undefined;
  return [{ part: "nodes", name: keyOf(address), action, message: describeNodes(change) }];
}

/**
 * Returns the node pool and the zone that an address refers to, for example `default/b`. In a cluster built without Terraform, it ends with
 * `.default-b`.
 */
function keyOf(address: string): string {
  const direct = address.slice(address.indexOf(".") + 1).replace(/-([^-]*)$/, "/$1");
  return /\["(?<key>.*)"\]$/.exec(address)?.groups?.["key"] ?? direct;
}

/** GKE replaces running nodes, one after the other, when one of these settings changes. */
const renewing = new Set(["machine_type", "disk_size_gb", "disk_type", "image_type", "taint"]);

function describeNodes({ action, before, after, changedPaths, replacePaths }: PlannedChange): string {
  const [from, to] = [countNodes(before), countNodes(after)];
  if (action === "create") return describeCount(to);
  if (action === "delete") return `${describeCount(from)} deleted`;
  if (action === "replace")
    return `${describeCount(from)} replaced at the same time, once the new nodes are ready, because of ${listAttributes(replacePaths).join(", ")}`;
  const [old, next] = [versionOf(before), versionOf(after)];
  const settings = changedPaths.flatMap(({ path }) => (path[0] === "node_config" ? [String(path[2] ?? path[0])] : []));
  const renewed = new Set(settings.filter((name) => renewing.has(name)));
  const isUpgraded = old !== next && next !== "";
  const reasons = [...(isUpgraded ? [`${old} -> ${next}`] : []), ...renewed];
  const names = listAttributes(changedPaths.map(({ path }) => path)).filter(
    (name) => !["node_config", "version", "node_count", "initial_node_count"].includes(name),
  );
  const others = new Set([...names, ...settings.filter((name) => !renewing.has(name))]);
  return [
    ...(reasons.length === 0 ? [] : [`${describeReplaced(from)} (${reasons.join(", ")})`]),
    ...(from === to ? [] : [`${from} -> ${to} nodes`]),
    ...others,
  ].join("; ");
}

function describeReplaced(count: number): string {
  return count === 0 ? "no nodes to replace" : `${describeCount(count)} replaced${count === 1 ? "" : " one after the other"}`;
}

function describeCount(count: number): string {
  return count === 1 ? "1 node" : `${count} nodes`;
}

function countNodes(value: unknown): number {
  const { node_count: count, initial_node_count: initial } = (value ?? {}) as {
    node_count?: number;
    initial_node_count?: number;
  };
  return count ?? initial ?? 0;
}

function versionOf(value: unknown): string {
  return ((value ?? {}) as { version?: string | null }).version ?? "";
}
