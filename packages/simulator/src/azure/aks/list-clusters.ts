import { createHash } from "node:crypto";
import type { ClusterFacts, ClusterNode } from "../../cloud/managed-kubernetes.ts";
import type { CloudRecord, Inventory } from "../../inventory/inventory.ts";
import { blockOf, mapOf, textOf, textsAt } from "../../values/read-value.ts";
import { isList, type ValueMap } from "../../values/value.ts";
import { findVmSize } from "../compute/vm-sizes.ts";
import { countNodes, versionOfPool } from "./pools.ts";
import { findVersion } from "./versions.ts";
import { createNodeLimits, limitLabels, limitTaints, limitText, limitZones, type GrantNodes } from "../../cloud/limit-nodes.ts";

/** The types of the resources that describe AKS clusters and their nodes. */
export const aksRecordTypes = ["azurerm_kubernetes_cluster", "azurerm_kubernetes_cluster_node_pool", "azurerm_subnet"];

/** Returns a tenant's AKS clusters from the inventory. */
export async function listAksClusters(inventory: Inventory, tenant: string): Promise<readonly ClusterFacts[]> {
  const clusters = await inventory.list(tenant, "azurerm_kubernetes_cluster");
  if (clusters.length === 0) return [];
  const pools = Map.groupBy(await inventory.list(tenant, "azurerm_kubernetes_cluster_node_pool"), ({ attributes }) =>
    textOf(attributes["kubernetes_cluster_id"]),
  );
  const prefixes = new Map(
    (await inventory.list(tenant, "azurerm_subnet")).map(({ id, attributes }) => [
      id,
      textsAt(attributes, "address_prefixes")[0],
    ]),
  );
  const startCluster = createNodeLimits();
  return clusters.map((cluster) => {
    const grant = startCluster();
    const own = pools.get(cluster.id) ?? [];
    const described = [
      { ...blockOf(cluster.attributes, "default_node_pool"), mode: "System" },
      ...own.map(({ attributes }) => attributes),
    ];
    return {
      name: textOf(cluster.attributes["name"]),
      region: textOf(cluster.attributes["location"]),
      version: `v${versionOf(cluster)}`,
      serviceRange: textOf(blockOf(cluster.attributes, "network_profile")["service_cidr"]),
      nodes: described.flatMap((pool) => listNodes(cluster, pool, prefixes, grant)),
    };
  });
}

function versionOf({ attributes }: CloudRecord): string {
  const asked = textOf(attributes["kubernetes_version"]);
  return textOf(attributes["current_kubernetes_version"]) || (findVersion(asked)?.patch ?? asked);
}

// A node's name depends on its pool, version, VM size and index. Scaling keeps the names; a new version or VM size changes them.
function listNodes(
  cluster: CloudRecord,
  pool: ValueMap,
  prefixes: ReadonlyMap<string, string | undefined>,
  grant: GrantNodes,
): readonly ClusterNode[] {
  const name = limitText(textOf(pool["name"]));
  const size = limitText(textOf(pool["vm_size"]) || "Standard_D2s_v5");
  const { vcpus, memoryGiB, architecture, hasGpu } = findVmSize(size) ?? {
    vcpus: 2,
    memoryGiB: 8,
    architecture: "amd64" as const,
    hasGpu: false,
  };
  const region = limitText(textOf(cluster.attributes["location"]));
  const version = limitText(versionOfPool(pool) || versionOf(cluster));
  const clusterId = limitText(cluster.id);
  const subscription = clusterId.split("/resourceGroups/")[0] ?? "";
  const group = limitText(textOf(cluster.attributes["node_resource_group"]));
  // The number in the name of a scale set is derived from a hash. Nodes with a new VM size or version get new names.
  const set = `aks-${name}-${digits(`${clusterId} ${name} ${size}`)}-vmss`;
  const generation = Number.parseInt(hash(`${version} ${size}`).slice(0, 4), 16) % 46_656;
  const prefix = limitText(prefixes.get(textOf(pool["vnet_subnet_id"])) ?? "10.224.0.0/16");
  const common = {
    taints: listTaints(pool),
    instanceType: size,
    region,
    cpu: vcpus,
    memoryGiB,
    version: `v${version}`,
  };
  const labels = {
    ...limitLabels(mapOf(pool["node_labels"])),
    ...describeNode(pool, group),
    "kubernetes.io/arch": architecture,
    "beta.kubernetes.io/arch": architecture,
    ...(hasGpu ? { accelerator: "nvidia", "kubernetes.azure.com/accelerator": "nvidia" } : {}),
  };
  const written = limitZones(textsAt(pool, "zones").toSorted());
  const zones = (written.length === 0 ? ["0"] : written.map((zone) => `${region}-${zone}`)).map((zone) => ({
    zone,
    labels: { ...labels, "topology.disk.csi.azure.com/zone": zone === "0" ? "" : zone },
  }));
  return Array.from({ length: grant(countNodes(pool), { ...common, ...zones[0] }) }, (_, index) => {
    const instance = (generation * 36 + index).toString(36).padStart(6, "0").slice(-6);
    return {
      ...common,
      ...(zones[index % zones.length] as (typeof zones)[number]),
      name: `${set}${instance}`,
      providerId: `azure://${subscription}/resourceGroups/${group.toLowerCase()}/providers/Microsoft.Compute/virtualMachineScaleSets/${set}/virtualMachines/${Number.parseInt(instance, 36)}`,
      internalIp: addressIn(prefix, `${clusterId} ${set} ${instance}`),
    };
  });
}

function describeNode(pool: ValueMap, group: string): Record<string, string> {
  const name = limitText(textOf(pool["name"]));
  const isManaged = textOf(pool["os_disk_type"]) !== "Ephemeral";
  return {
    agentpool: name,
    "kubernetes.azure.com/agentpool": name,
    "kubernetes.azure.com/cluster": group,
    "kubernetes.azure.com/mode": limitText(textOf(pool["mode"])).toLowerCase() || "user",
    "kubernetes.azure.com/nodepool-type": "VirtualMachineScaleSets",
    "kubernetes.azure.com/os-sku": limitText(textOf(pool["os_sku"])) || "Ubuntu",
    "kubernetes.azure.com/role": "agent",
    ...(pool["priority"] === "Spot" ? { "kubernetes.azure.com/scalesetpriority": "spot" } : {}),
    ...(isManaged ? { storageprofile: "managed", storagetier: "Premium_LRS" } : { storageprofile: "ephemeral" }),
  };
}

function listTaints(pool: ValueMap): ClusterNode["taints"] {
  const written = isList(pool["node_taints"]) ? pool["node_taints"].filter((each) => typeof each === "string") : [];
  const own = pool["only_critical_addons_enabled"] === true ? ["CriticalAddonsOnly=true:NoSchedule"] : [];
  return [...limitTaints(written.map(parseTaint)), ...own.map(parseTaint)];
}

function parseTaint(text: string): ClusterNode["taints"][number] {
  const {
    key = "",
    value = "",
    effect = "NoSchedule",
  } = /^(?<key>[^=:]+)(=(?<value>[^:]*))?:(?<effect>\w+)$/.exec(text)?.groups ?? {};
  return { key, value, effect };
}

/** Returns an address in the range, chosen by the seed. Azure reserves the first four addresses. */
export function addressIn(range: string, seed: string): string {
  const [start = "10.224.0.0", prefix = "16"] = range.split("/");
  const base = start.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(prefix));
  const at = base + 4 + (Number.parseInt(hash(seed).slice(0, 8), 16) % Math.max(1, size - 5));
  return [24, 16, 8, 0].map((shift) => Math.floor(at / 2 ** shift) % 256).join(".");
}

function digits(seed: string): string {
  return String(Number.parseInt(hash(seed).slice(0, 8), 16) % 100_000_000).padStart(8, "0");
}

function hash(seed: string): string {
  return createHash("sha256").update(seed).digest("hex");
}
