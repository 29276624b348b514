import { describeInfrastructure, listAttributes } from "../../executor/describe-preview.ts";
import type { PlannedChange } from "../../executor/executor-plan.ts";
import type { PreviewItem } from "../../executor/preview-item.ts";
import { objectOf } from "../../read-spec.ts";
import type { Json } from "../../task.ts";
import { systemPool } from "./node-pools.ts";

const poolType = "azurerm_kubernetes_cluster_node_pool";

/** AKS replaces running nodes one after the other when one of these attributes changes. */
const renewing = new Set(["orchestrator_version", "os_sku"]);

/** When one of these attributes changes, the provider moves all pods to a temporary pool and recreates the original pool. */
const rotating = new Set([
  "fips_enabled",
  "host_encryption_enabled",
  "kubelet_config",
  "kubelet_disk_type",
  "linux_os_config",
  "max_pods",
  "node_public_ip_enabled",
  "os_disk_size_gb",
  "os_disk_type",
  "pod_subnet_id",
  "snapshot_id",
  "ultra_ssd_enabled",
  "vm_size",
  "vnet_subnet_id",
  "zones",
]);

/** Describes planned changes to node pools. The first pool is part of the cluster resource. Returns undefined for other resources. */
export function describeAzureChange(change: PlannedChange): readonly PreviewItem[] | undefined {
  const { address, resourceType, action, before, after, changedPaths, replacePaths } = change;
  if (resourceType === poolType) {
    const names = listAttributes(changedPaths.map(({ path }) => path));
    const message = describeNodes(action, [countNodes(before), countNodes(after)], names, listAttributes(replacePaths));
    return [{ part: "nodes", name: keyOf(address), action, message }];
  }
  if (resourceType !== "azurerm_kubernetes_cluster") return undefined;
  const isOfPool = ({ path }: (typeof changedPaths)[number]): boolean =>
    path[0] === "default_node_pool" || path[0] === "orchestrator_version";
  const inPool = changedPaths
    .filter(isOfPool)
    // In a cluster built without Terraform, the version of the first pool is an attribute of the cluster.
    .map(({ path }) => (path[0] === "default_node_pool" ? path.slice(2) : path));
  if (action === "update" && inPool.length === 0) return undefined;
  const sizes = [countNodes(firstPool(before)), countNodes(firstPool(after))] as const;
  const message = describeNodes(action, sizes, listAttributes(inPool), ["the cluster's replacement"]);
  const elsewhere = changedPaths.filter((changed) => !isOfPool(changed));
  const nodes: PreviewItem = { part: "nodes", name: systemPool, action, message };
  return action === "update" && elsewhere.length === 0
    ? [nodes]
    : [describeInfrastructure({ ...change, changedPaths: elsewhere }), nodes];
}

function describeNodes(
  action: string,
  [from, to]: readonly [number, number],
  names: readonly string[],
  replaced: readonly string[],
): string {
  if (action === "create") return describeCount(to);
  if (action === "delete") return `${describeCount(from)} deleted`;
  if (action === "replace")
    return `${describeCount(from)} deleted before new nodes are created, because of ${replaced.join(", ")}`;
  const scaled = from === to ? [] : [`${from} -> ${to} nodes`];
  const rotated = names.filter((name) => rotating.has(name));
  const moved =
    rotated.length > 0
      ? [`${describeCount(from)} replaced, after their pods moved to a temporary pool, because of ${rotated.join(", ")}`]
      : [];
  const renewed =
    rotated.length === 0 && names.some((name) => renewing.has(name)) ? [`${describeCount(from)} replaced, a few at a time`] : [];
  const others = names.filter(
    (name) => !["node_count", "node_image_version", "tags"].includes(name) && !renewing.has(name) && !rotating.has(name),
  );
  return [...moved, ...renewed, ...scaled, ...others].join("; ") || names.join(", ");
}

/**
 * Returns the key of a resource instance, for example `spot` for `azurerm_kubernetes_cluster_node_pool.pool["spot"]`, or the name of a
 * resource without a key, for example `spot` for `azurerm_kubernetes_cluster_node_pool.spot`.
 */
function keyOf(address: string): string {
  return /\["(?<key>.*)"\]$/.exec(address)?.groups?.["key"] ?? address.slice(address.indexOf(".") + 1);
}

function firstPool(value: unknown): unknown {
  const { default_node_pool: pools } = (value ?? {}) as { default_node_pool?: readonly unknown[] };
  return pools?.[0];
}

function countNodes(value: unknown): number {
  const { node_count: count, min_count: min } = objectOf(value as Json | undefined);
  return typeof count === "number" ? count : typeof min === "number" ? min : 0;
}

function describeCount(count: number): string {
  return count === 1 ? "1 node" : `${count} nodes`;
}
