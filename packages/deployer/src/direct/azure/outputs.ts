import { findParent } from "@cloudwright/contract";
import { getNetwork } from "../../find-network.ts";
import { azureOf } from "../../kubernetes/azure/azure-of.ts";
import { readChoices } from "../../kubernetes/azure/choices.ts";
import { readEndpoint } from "../../kubernetes/azure/desired.ts";
import { systemPool } from "../../kubernetes/azure/node-pools.ts";
import { listOf, objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { clusterAddress, identityAddress, listNatRanges, listPools } from "./desired-resources.ts";
import { configuration } from "./names.ts";

/**
 * Renders the same outputs as the Terraform configuration for AKS clusters. Outputs of resources that the blueprint does not build are
 * empty.
 */
export function renderOutputs(
  attributesOf: (address: string) => JsonObject,
  entity: DeployedEntity<"Cluster">,
  around: Surroundings,
): JsonObject {
  const cluster = attributesOf(clusterAddress);
  const profile = objectOf(listOf(cluster["network_profile"])[0]);
  const [pool] = listOf(cluster["default_node_pool"]);
  const pools = listPools(entity, around);
  const others = Object.keys(pools).filter((name) => name !== systemPool);
  const sizes = others.map((name) => attributesOf(`azurerm_kubernetes_cluster_node_pool.${name}`)["current_node_count"]);
  return {
    cluster_name: textOf(cluster["name"]),
    cluster_id: textOf(cluster["id"]),
    region: getNetwork(entity, around).region,
    resource_group_name: textOf(cluster["resource_group_name"]),
    node_resource_group: textOf(cluster["node_resource_group"]),
    worker_subnet_ids: [textOf(objectOf(pool)["vnet_subnet_id"])],
    endpoint: textOf(cluster["host"]),
    certificate_authority: textOf(cluster["cluster_ca_certificate"]),
    version: textOf(cluster["current_kubernetes_version"]).split(".").slice(0, 2).join("."),
    upgraded_by_cloud: false,
    oidc_issuer: textOf(cluster["oidc_issuer_url"]),
    key_vault_key_id: "",
    cluster_identity_id: azureOf(entity.spec).clusterIdentityId || textOf(attributesOf(identityAddress)["id"]),
    kubelet_identity_id: textOf(cluster["kubelet_identity_id"]),
    has_entra: false,
    pod_cidr: textOf(profile["pod_cidr"]),
    service_cidr: textOf(profile["service_cidr"]),
    addon_versions: {},
    node_group_names: [systemPool, ...others].toSorted(),
    ready_nodes: [cluster["default_node_count"], ...sizes].reduce<number>((sum, size) => sum + Number(size ?? 0), 0),
    choices: renderChoices(cluster, entity, around, pools),
  };
}

function renderChoices(
  cluster: JsonObject,
  entity: DeployedEntity<"Cluster">,
  around: Surroundings,
  pools: Readonly<Record<string, JsonObject>>,
): JsonObject {
  const { since, publicRanges } = readChoices(around.outputs, configuration);
  const { isPublic, ranges } = readEndpoint(entity.spec.endpoint);
  const nat = listNatRanges(findParent(around, "Network")?.outputs ?? {});
  const applied = textsOf(cluster["authorized_ip_ranges"]).filter((range) => !nat.includes(range));
  return {
    since,
    // If the spec names no ranges, the ranges that were applied before are kept. A run on an agent with a different address must not
    // change who can reach the cluster.
    public_access_cidrs: isPublic && ranges.length === 0 ? applied : [...publicRanges],
    autoscalers: false,
    instance_type: textOf(objectOf(listOf(cluster["default_node_pool"])[0])["vm_size"]),
    zones: Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, textsOf(pool["zones"]).toSorted()])),
  };
}
