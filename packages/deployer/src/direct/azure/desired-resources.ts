import { findParent } from "@cloudwright/contract";
import { refer, type DesiredResource } from "../../executor/in-process/blueprint.ts";
import { getNetwork } from "../../find-network.ts";
import { azureOf } from "../../kubernetes/azure/azure-of.ts";
import { readChoices } from "../../kubernetes/azure/choices.ts";
import { chooseRanges, chooseVersion, readEndpoint } from "../../kubernetes/azure/desired.ts";
import { renderNodePools, systemPool } from "../../kubernetes/azure/node-pools.ts";
import { chooseOutbound, chooseSubnet, chooseUsualRanges, findGroup, listRanges } from "../../kubernetes/azure/variables.ts";
import { listOf, objectOf, textOf, textsOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedAccount, DeployedEntity, Json, JsonObject, Surroundings } from "../../task.ts";
import { configuration, deriveUuid, nameInCloud, poolNameOf } from "./names.ts";

type Cluster = DeployedEntity<"Cluster">;

const groupAddress = "azurerm_resource_group.this";
export const identityAddress = "azurerm_user_assigned_identity.cluster";
export const clusterAddress = "azurerm_kubernetes_cluster.this";
const roleAddress = "azurerm_role_assignment.nodes";

/**
 * Desired health of every resource. If a resource is not ready, an update waits until its interrupted creation has finished. If Azure
 * could not create a resource, the resource is replaced.
 */
const healthy = { ready: true, failed: false };

interface Place {
  readonly region: string;
  /** The cluster's name in Azure. */
  readonly name: string;
  readonly group: Json;
  readonly subnetId: string;
  /** The network's outputs. */
  readonly network: JsonObject;
  readonly tags: JsonObject;
}

/**
 * Lists the resources of a cluster: its resource group, its identity with a role, the cluster, and one agent pool for each additional
 * pool.
 */
export function listDesired(entity: Cluster, account: DeployedAccount, around: Surroundings): readonly DesiredResource[] {
  const { region, name: network, privateSubnetIds } = getNetwork(entity, around);
  const name = nameInCloud(entity, around.outputs);
  const tags = renderTags("azure", entity);
  const existing = findGroup(entity, account, around.outputs);
  const place: Place = {
    region,
    name,
    group: existing ?? refer(groupAddress, "name"),
    subnetId: chooseSubnet(entity, network, privateSubnetIds),
    network: findParent(around, "Network")?.outputs ?? {},
    tags,
  };
  const group = { type: "azurerm_resource_group", name: "this", attributes: { name, location: region, tags } };
  return [
    ...(existing === null ? [group] : []),
    ...(azureOf(entity.spec).clusterIdentityId === "" ? renderIdentity(entity, place) : []),
    renderCluster(entity, around, place),
    ...renderPools(entity, around, place),
  ];
}

/** Renders the control plane's identity, and a role that lets it attach load balancers and nodes to the node subnet. */
function renderIdentity({ uid }: Cluster, { name, region, group, subnetId, tags }: Place): DesiredResource[] {
  return [
    {
      type: "azurerm_user_assigned_identity",
      name: "cluster",
      attributes: { name: `${name}-cluster`, resource_group_name: group, location: region, tags },
    },
    {
      type: "azurerm_role_assignment",
      name: "nodes",
      attributes: {
        name: deriveUuid(uid, "nodes"),
        scope: subnetId,
        role_definition_name: "Network Contributor",
        principal_id: refer(identityAddress, "principal_id"),
      },
    },
  ];
}

const tiers: Readonly<Record<string, string>> = { free: "Free", standard: "Standard", premium: "Premium" };

function renderCluster(entity: Cluster, around: Surroundings, place: Place): DesiredResource {
  const { name, region, group, network, tags } = place;
  const azure = azureOf(entity.spec);
  const { isPublic } = readEndpoint(entity.spec.endpoint);
  const version = chooseVersion(entity, around.outputs);
  const identity = azure.clusterIdentityId || refer(identityAddress, "id");
  return {
    type: "azurerm_kubernetes_cluster",
    name: "this",
    attributes: {
      name,
      resource_group_name: group,
      location: region,
      dns_prefix: name,
      sku_tier: tiers[azure.tier] ?? "Standard",
      ...(version === null ? {} : { kubernetes_version: version, orchestrator_version: version }),
      default_node_pool: [renderDefaultPool(entity, around, place)],
      identity: [{ type: "UserAssigned", identity_ids: [identity] }],
      network_profile: [renderNetwork(entity, around, network)],
      private_cluster_enabled: !isPublic,
      authorized_ip_ranges: listAuthorized(entity, around, network),
      // Anyone with access to the cluster's Azure resource could otherwise run commands as a cluster administrator.
      run_command_enabled: false,
      local_account_disabled: false,
      oidc_issuer_enabled: true,
      workload_identity_enabled: true,
      tags,
      ...healthy,
    },
    ...(azure.clusterIdentityId === "" ? { needs: [roleAddress] } : {}),
  };
}

/**
 * Lists the ranges that may reach the public endpoint. If there are any, the NAT gateway's addresses are added, because nodes reach the API
 * server through the gateway.
 */
function listAuthorized(entity: Cluster, around: Surroundings, network: JsonObject): string[] {
  const ranges = listRanges(entity, chooseUsualRanges(entity, around, configuration));
  if (ranges.length === 0 || ranges.includes("0.0.0.0/0")) return [];
  return [...new Set([...ranges, ...listNatRanges(network)])].toSorted();
}

/** Returns the ranges of the network's NAT gateway. */
export function listNatRanges(network: JsonObject): string[] {
  return textsOf(network["nat_public_ips"]).map((address) => `${address}/32`);
}

function renderNetwork(entity: Cluster, around: Surroundings, network: JsonObject): JsonObject {
  const ranges = chooseRanges(entity, textOf(network["cidr"]), readChoices(around.outputs, configuration));
  return {
    network_plugin: "azure",
    network_plugin_mode: "overlay",
    network_data_plane: "cilium",
    network_policy: "cilium",
    pod_cidr: ranges.pods,
    service_cidr: ranges.services,
    dns_service_ip: ranges.services.replace(/(\d{1,3})\/\d{1,2}$/, (_match, last: string) => String(Number(last) + 10)),
    load_balancer_sku: "standard",
    outbound_type: chooseOutbound(entity, network),
  };
}

/** Renders all pools, keyed by name, in the format of the Terraform variables. */
export function listPools(entity: Cluster, around: Surroundings): Readonly<Record<string, JsonObject>> {
  const zones = textsOf(findParent(around, "Network")?.outputs["zones"]);
  const place = { region: getNetwork(entity, around).region, zones };
  const pools = renderNodePools(entity, around, place, readChoices(around.outputs, configuration));
  return Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, objectOf(pool)]));
}

// The values that AKS would choose itself. They are set explicitly, so that a plan can compare them.
const [usualDiskGib, usualPods] = [128, 250];

function renderDefaultPool(entity: Cluster, around: Surroundings, { subnetId }: Place): JsonObject {
  const pool = listPools(entity, around)[systemPool] ?? {};
  return {
    name: systemPool,
    vm_size: textOf(pool["instance_type"]),
    auto_scaling_enabled: false,
    node_count: Number(pool["desired"] ?? 1),
    os_disk_size_gb: usualDiskGib,
    os_sku: chooseSystem(pool),
    max_pods: usualPods,
    vnet_subnet_id: subnetId,
    zones: textsOf(pool["zones"]).toSorted(),
    node_labels: {},
  };
}

const systems: Readonly<Record<string, string>> = { "azure-linux": "AzureLinux", ubuntu: "Ubuntu" };

/** Chooses the operating system. GPU drivers are available only for Ubuntu. */
function chooseSystem(pool: JsonObject): string {
  const hasGpu = /^Standard_N[CDGV]/.test(textOf(pool["instance_type"]));
  return systems[textOf(pool["os"])] ?? (hasGpu ? "Ubuntu" : "AzureLinux");
}

function renderPools(entity: Cluster, around: Surroundings, { subnetId, tags }: Place): DesiredResource[] {
  const others = Object.entries(listPools(entity, around)).filter(([name]) => name !== systemPool);
  return others.map(([name, pool]) => {
    const isSpot = pool["capacity"] === "spot";
    const { disk_size_gib: disk, max_pods: pods } = pool;
    return {
      type: "azurerm_kubernetes_cluster_node_pool",
      name,
      attributes: {
        name: poolNameOf(name),
        kubernetes_cluster_id: refer(clusterAddress, "id"),
        mode: pool["system"] === true ? "System" : "User",
        vm_size: textOf(pool["instance_type"]),
        ...renderSize(pool),
        ...(disk === undefined ? {} : { os_disk_size_gb: disk }),
        os_sku: chooseSystem(pool),
        ...(pods === undefined ? {} : { max_pods: pods }),
        vnet_subnet_id: subnetId,
        zones: textsOf(pool["zones"]).toSorted(),
        // AKS adds this label and this taint to spot pools and returns them.
        node_labels: { ...objectOf(pool["labels"]), ...(isSpot ? { [spotKey]: "spot" } : {}) },
        node_taints: [...renderTaints(pool["taints"]), ...(isSpot ? [`${spotKey}=spot:NoSchedule`] : [])].toSorted(),
        priority: isSpot ? "Spot" : "Regular",
        // Nodes must not be newer than the control plane. The reference makes pools wait until the control plane has been upgraded.
        orchestrator_version: refer(clusterAddress, "kubernetes_version"),
        tags: { ...tags, ...objectOf(pool["tags"]) },
        ...healthy,
      },
    };
  });
}

const spotKey = "kubernetes.azure.com/scalesetpriority";

function renderSize({ autoscaling, min, max, desired }: JsonObject): JsonObject {
  if (autoscaling !== true) return { auto_scaling_enabled: false, node_count: desired ?? 0 };
  return { auto_scaling_enabled: true, min_count: min ?? 0, max_count: max ?? 1 };
}

function renderTaints(value: Json | undefined): string[] {
  return listOf(value)
    .map((each) => objectOf(each))
    .map(({ key, value: text, effect }) => `${textOf(key)}${textOf(text) === "" ? "" : `=${textOf(text)}`}:${textOf(effect)}`);
}
