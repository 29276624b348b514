import { findParent } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import { objectOf, textOf, textsOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedAccount, DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { azureOf } from "./azure-of.ts";
import { readChoices } from "./choices.ts";
import { chooseRanges, chooseVersion, readEndpoint } from "./desired.ts";
import { listManagedAddOns } from "./managed-add-ons.ts";
import { renderNodePools } from "./node-pools.ts";

const outboundTypes: Readonly<Record<string, string>> = {
  "nat-gateway": "userAssignedNATGateway",
  "load-balancer": "loadBalancer",
  "user-defined-routing": "userDefinedRouting",
};

/** Renders the variables for configuration v1.1.0. */
export function renderCurrentVariables(
  entity: DeployedEntity<"Cluster">,
  account: DeployedAccount,
  around: Surroundings,
  version: string,
): JsonObject {
  const { workloadIdentities, imageCleaner } = azureOf(entity.spec);
  return {
    ...renderAzureVariables(entity, account, around, version),
    workload_identities: Object.fromEntries(
      workloadIdentities.map(({ namespace, serviceAccount, identityId }) => [`${namespace}/${serviceAccount}`, identityId]),
    ),
    ...(imageCleaner === undefined ? {} : { image_cleaner: imageCleaner }),
  };
}

/** Renders the variables for configuration v1.0.0. The configuration provides defaults for omitted fields. */
export function renderAzureVariables(
  entity: DeployedEntity<"Cluster">,
  account: DeployedAccount,
  around: Surroundings,
  version: string,
): JsonObject {
  const network = getNetwork(entity, around);
  const facts = findParent(around, "Network")?.outputs ?? {};
  const { spec } = entity;
  const azure = azureOf(spec);
  const { isPublic } = readEndpoint(spec.endpoint);
  const choices = readChoices(around.outputs, version);
  const usualRanges = chooseUsualRanges(entity, around, version);
  const ranges = chooseRanges(entity, textOf(facts["cidr"]), choices);
  const zone = textOf(facts["private_dns_zone_id"]);
  return {
    cluster_name: entity.name,
    region: network.region,
    resource_group_name: findGroup(entity, account, around.outputs),
    cluster_version: chooseVersion(entity, around.outputs),
    ...(azure.tier === "" ? {} : { tier: azure.tier }),
    long_term_support: azure.longTermSupport,
    ...(azure.upgradeChannel === "" ? {} : { upgrade_channel: azure.upgradeChannel }),
    ...(azure.nodeOsUpgradeChannel === "" ? {} : { node_os_upgrade_channel: azure.nodeOsUpgradeChannel }),
    maintenance_window: renderWindow(entity),
    node_subnet_id: chooseSubnet(entity, network.name, network.privateSubnetIds),
    pod_subnet_id: choosePodSubnet(entity, textOf(facts["pod_subnet_id"])),
    api_server_subnet_id: network.intraSubnetIds[0] ?? null,
    private_dns_zone_id: isPublic || zone === "" ? null : zone,
    outbound_type: chooseOutbound(entity, facts),
    nat_public_ips: textsOf(facts["nat_public_ips"]),
    public_access: isPublic,
    public_access_cidrs: listRanges(entity, usualRanges),
    pod_cidr: ranges.pods,
    service_cidr: ranges.services,
    identities: renderIdentities(entity),
    kms_key: renderKey(entity),
    purge_protection: azure.purgeProtection,
    entra: azure.entra === undefined ? null : { admin_group_ids: [...azure.entra.adminGroupIds] },
    local_accounts: azure.localAccounts ?? true,
    access_entries: azure.accessEntries.map(({ principalId, policy, namespaces }) => ({
      principal_id: principalId,
      policy,
      namespaces: [...namespaces],
    })),
    container_registry_ids: [...azure.containerRegistryIds],
    log_analytics_workspace_id: azure.logAnalyticsWorkspaceId || null,
    managed_prometheus: azure.managedPrometheus,
    disk_encryption_set_id: azure.diskEncryptionSetId || null,
    host_encryption: azure.hostEncryption,
    addons: listManagedAddOns(entity),
    kept_defaults: {
      since: choices.since || null,
      public_access_cidrs: usualRanges,
      autoscalers: choices.hasAutoscalers,
    },
    node_pools: renderNodePools(entity, around, { region: network.region, zones: textsOf(facts["zones"]) }, choices),
    owner: { project: entity.project, entity: entity.uid },
    tags: renderTags("azure", entity),
  };
}

/** Returns how nodes reach the internet, in Azure's terms. The default depends on the network. */
export function chooseOutbound({ spec }: DeployedEntity<"Cluster">, network: JsonObject): string {
  return outboundTypes[azureOf(spec).outbound] ?? (textOf(network["outbound_type"]) || "loadBalancer");
}

/**
 * Returns the existing resource group for a cluster, or null if the cluster gets its own group. The default is the group to which the
 * account's permissions are limited. An existing cluster keeps its group, because changing it would replace all of the cluster's resources.
 */
export function findGroup({ spec }: DeployedEntity<"Cluster">, account: DeployedAccount, outputs: JsonObject): string | null {
  const requested = azureOf(spec).resourceGroup;
  if (requested !== "") return requested;
  const [built, name] = [textOf(outputs["resource_group_name"]), textOf(outputs["cluster_name"])];
  if (built !== "") return built === name ? null : built;
  return textOf(objectOf(account.spec["azure"])["resourceGroup"]) || null;
}

/** Returns whether the agent's public address is needed. This is the case if nothing else determines who may reach the public endpoint. */
export function needsAddress(entity: DeployedEntity<"Cluster">, around: Surroundings, version: string): boolean {
  const { isPublic, ranges } = readEndpoint(entity.spec.endpoint);
  return isPublic && ranges.length === 0 && readChoices(around.outputs, version).publicRanges.length === 0;
}

/** Returns the ranges that apply if the spec does not name any: those that were chosen before, or else the agent's own address. */
export function chooseUsualRanges(entity: DeployedEntity<"Cluster">, around: Surroundings, version: string): string[] {
  const address = textOf(around.observed?.["address"]);
  const isNeeded = needsAddress(entity, around, version) && address !== "";
  return isNeeded ? [`${address}/32`] : [...readChoices(around.outputs, version).publicRanges];
}

/** Returns the ranges that may reach the public endpoint, except those of the network's NAT gateway. */
export function listRanges({ spec }: DeployedEntity<"Cluster">, usual: readonly string[]): string[] {
  const { isPublic, ranges } = readEndpoint(spec.endpoint);
  if (!isPublic) return [];
  return ranges.length > 0 ? ranges : [...usual];
}

/** Returns the subnet of the nodes. Throws if the network has none. */
export function chooseSubnet({ name }: DeployedEntity<"Cluster">, network: string, ids: readonly string[]): string {
  const [id] = ids;
  if (id !== undefined) return id;
  throw new Fault(deployerFaults.bad_spec, `${name} needs a network with a subnet for nodes; "${network}" has none`);
}

function choosePodSubnet(entity: DeployedEntity<"Cluster">, id: string): string | null {
  const { podNetwork } = azureOf(entity.spec);
  if (podNetwork === "overlay") return null;
  if (podNetwork === "subnet" && id === "") {
    const message = `spec.azure.podNetwork of ${entity.name} is "subnet", but the network has no pod subnet; set spec.azure.podSubnet of the network`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  if (id !== "" && (entity.spec.networking?.podCidr ?? "") !== "") {
    const message = `spec.networking.podCidr of ${entity.name} requires an overlay network; set spec.azure.podNetwork to overlay`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return id || null;
}

function renderWindow({ spec }: DeployedEntity<"Cluster">): JsonObject | null {
  const { maintenanceWindow: window } = azureOf(spec);
  return window === undefined ? null : { day: window.day, start: window.start, hours: window.hours };
}

function renderIdentities({ spec }: DeployedEntity<"Cluster">): JsonObject {
  const { clusterIdentityId, kubeletIdentityId } = azureOf(spec);
  return {
    ...(clusterIdentityId === "" ? {} : { cluster: clusterIdentityId }),
    ...(kubeletIdentityId === "" ? {} : { kubelet: kubeletIdentityId }),
  };
}

function renderKey({ spec }: DeployedEntity<"Cluster">): JsonObject {
  const { keyVaultKeyId, keyVaultId } = azureOf(spec);
  return {
    ...(keyVaultKeyId === "" ? {} : { id: keyVaultKeyId }),
    ...(keyVaultId === "" ? {} : { vault_id: keyVaultId }),
  };
}
