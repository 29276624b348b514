import { findNumber, textOf, textsOf, type Json, type JsonObject } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { ownerTag, partTag } from "../../account-view.ts";
import { isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import { toClusterBody } from "../library/change-resource.ts";
import { spellLocation, type AzureContext } from "../library/context.ts";
import { readKubeconfig } from "../library/kubeconfig.ts";
import { libraryOperations } from "../library/operations.ts";
import { clusterPath, listClusters, placeOf, toClusterInfo } from "../library/read-aks.ts";
import { clusterKind, readReference, renderId } from "../library/references.ts";
import type { ManagedCluster, ManagedClusterAgentPoolProfile } from "../models.ts";
import { listOwnTags, readBlock, readTextMap, renderOwnerTags, replaceTags, sortTexts, withoutEmpty } from "./part-support.ts";
import { createResourcePart } from "./resource-part.ts";

/** Tag on the pool that is created with the cluster, so that it is not mistaken for a separate pool. */
export const defaultPoolTag = "cloudwright:default-pool";

/** The fields of a cluster that the part reads and that `ManagedCluster` lacks. */
interface Cluster extends ManagedCluster {
  readonly sku?: { readonly name?: string; readonly tier?: string };
  readonly identity?: { readonly type?: string; readonly userAssignedIdentities?: Readonly<Record<string, object>> };
}

interface MoreProperties {
  readonly dnsPrefix?: string;
  readonly disableLocalAccounts?: boolean;
  readonly apiServerAccessProfile?: {
    readonly enablePrivateCluster?: boolean;
    readonly authorizedIPRanges?: readonly string[];
    readonly disableRunCommand?: boolean;
  };
  readonly oidcIssuerProfile?: { readonly enabled?: boolean; readonly issuerURL?: string };
  readonly securityProfile?: { readonly workloadIdentity?: { readonly enabled?: boolean } };
  readonly networkProfile?: Readonly<Record<string, unknown>>;
  readonly identityProfile?: { readonly kubeletidentity?: { readonly resourceId?: string } };
}

type PoolProfile = ManagedClusterAgentPoolProfile & {
  readonly osDiskSizeGB?: number;
  readonly osSKU?: string;
  readonly maxPods?: number;
};

/** The fields of the `network_profile` block, with Azure's names. */
const networkFields: Readonly<Record<string, string>> = {
  network_plugin: "networkPlugin",
  network_plugin_mode: "networkPluginMode",
  network_data_plane: "networkDataplane",
  network_policy: "networkPolicy",
  pod_cidr: "podCidr",
  service_cidr: "serviceCidr",
  dns_service_ip: "dnsServiceIP",
  load_balancer_sku: "loadBalancerSku",
  outbound_type: "outboundType",
};

/**
 * AKS clusters. The ID is the ARM ID. Attributes: `name`, `resource_group_name`, `location`, `kubernetes_version` (a patch version, or a
 * minor version for which AKS chooses the patch), `dns_prefix`, `sku_tier`, `default_node_pool` (one block with `name`, `vm_size`,
 * `auto_scaling_enabled`, `min_count` and `max_count` or `node_count`, `os_disk_size_gb`, `os_sku`, `max_pods`, `vnet_subnet_id`, `zones`,
 * `node_labels`), `orchestrator_version` (the version of that pool), `identity` (one block with `type`, `identity_ids`), `network_profile`
 * (one block), `private_cluster_enabled`, `authorized_ip_ranges`, `run_command_enabled`, `local_account_disabled`, `oidc_issuer_enabled`,
 * `workload_identity_enabled`, `tags`. A blueprint sets every field of a block that it uses, and sets unused ones to 0, an empty string or
 * an empty list. Outputs: `host` and `cluster_ca_certificate` of the API server, `fqdn`, `node_resource_group`, `oidc_issuer_url`,
 * `current_kubernetes_version` and `kubelet_identity_id`.
 */
export function createClusterPart(context: AzureContext, entityUid: string): CloudPart {
  return createResourcePart<Cluster>(context, entityUid, {
    name: "azurerm_kubernetes_cluster",
    title: "AKS cluster",
    immutable: ["name", "resource_group_name", "location", "dns_prefix", "identity", "private_cluster_enabled", "failed"],
    get: libraryOperations.getCluster,
    put: libraryOperations.putCluster,
    remove: libraryOperations.deleteCluster,
    isConditional: true,
    // A new role assignment for the cluster's identity takes a while to propagate.
    settling: /^LinkedAuthorizationFailed$/,
    idOf: (attributes) => idOf(context, attributes),
    pathOf: (id) => clusterPath(readReference(context, clusterKind, id)),
    tagsOf: ({ tags }) => tags,
    render,
    renderChange,
    toAttributes: async (cluster, signal) => ({
      ...toAttributes(context, cluster),
      ...(await readServer(context, cluster, signal)),
    }),
    readState(cluster) {
      const { status, nativeStatus, statusReason } = toClusterInfo(context, cluster);
      const reason = statusReason === undefined ? {} : { statusReason };
      return { isReady: status === "running", isFailed: status === "failed", nativeStatus, ...reason };
    },
    list: async (signal) =>
      (await listClusters(context, signal)).map((each) => ({ id: toClusterInfo(context, each).id, tags: each.tags })),
  });
}

function idOf({ options }: AzureContext, attributes: PartAttributes): string {
  const [name = "", group = ""] = ["name", "resource_group_name"].map((field) => textOf(attributes[field]));
  return renderId(
    { subscriptionId: options.subscriptionId, resourceGroup: group || options.resourceGroup, name },
    clusterKind.type,
  );
}

function render(attributes: PartAttributes, owner: PartOwner): object {
  const { type = "SystemAssigned", identity_ids: ids } = readBlock(attributes["identity"]);
  const identities = Object.fromEntries(textsOf(ids).map((id) => [id, {}]));
  const pool = readBlock(attributes["default_node_pool"]);
  const name = textOf(pool["name"]) || "default";
  const tier = textOf(attributes["sku_tier"]);
  return {
    ...(tier === "" ? {} : { sku: { name: "Base", tier } }),
    location: textOf(attributes["location"]),
    tags: renderOwnerTags(attributes, owner),
    identity: { type: textOf(type), ...(textsOf(ids).length === 0 ? {} : { userAssignedIdentities: identities }) },
    properties: {
      ...withoutEmpty({ kubernetesVersion: textOf(attributes["kubernetes_version"]) }),
      dnsPrefix: textOf(attributes["dns_prefix"]) || textOf(attributes["name"]),
      enableRBAC: true,
      disableLocalAccounts: attributes["local_account_disabled"] === true,
      apiServerAccessProfile: renderAccess(attributes),
      ...(attributes["network_profile"] === undefined ? {} : { networkProfile: renderNetwork(attributes["network_profile"]) }),
      ...(attributes["oidc_issuer_enabled"] === true ? { oidcIssuerProfile: { enabled: true } } : {}),
      ...(attributes["workload_identity_enabled"] === true ? { securityProfile: { workloadIdentity: { enabled: true } } } : {}),
      agentPoolProfiles: [
        {
          ...withoutEmpty({
            orchestratorVersion: textOf(attributes["orchestrator_version"]) || textOf(attributes["kubernetes_version"]),
          }),
          ...renderProfile(pool),
          name,
          mode: "System",
          type: "VirtualMachineScaleSets",
          osType: "Linux",
          tags: { [ownerTag]: owner.entityUid, [partTag]: `pool/${name}`, [defaultPoolTag]: "true" },
        },
      ],
    },
  };
}

function renderAccess(attributes: PartAttributes): object {
  const isPrivate = attributes["private_cluster_enabled"] === true;
  const commands = attributes["run_command_enabled"];
  return {
    enablePrivateCluster: isPrivate,
    // AKS accepts address ranges only for public endpoints.
    ...(isPrivate ? {} : { authorizedIPRanges: sortTexts(attributes["authorized_ip_ranges"]) }),
    ...(typeof commands === "boolean" ? { disableRunCommand: !commands } : {}),
  };
}

function renderNetwork(block: Json | undefined): object {
  const given = readBlock(block);
  return withoutEmpty(Object.fromEntries(Object.entries(networkFields).map(([name, api]) => [api, textOf(given[name])])));
}

function readNetwork(profile: Readonly<Record<string, unknown>> = {}): JsonObject {
  return Object.fromEntries(Object.entries(networkFields).map(([name, api]) => [name, textOf(profile[api])]));
}

/** Renders the pool fields that a cluster's default pool and separate pools have in common. */
export function renderProfile(pool: JsonObject): Record<string, unknown> {
  const isScaled = pool["auto_scaling_enabled"] === true;
  const [least, most, size] = ["min_count", "max_count", "os_disk_size_gb"].map((field) => findNumber(pool[field]));
  const zones = sortTexts(pool["zones"]);
  return withoutEmpty({
    vmSize: textOf(pool["vm_size"]),
    enableAutoScaling: isScaled,
    ...(isScaled
      ? { minCount: least ?? 0, maxCount: most ?? 1, count: Math.max(1, least ?? 1) }
      : { count: findNumber(pool["node_count"]) ?? 1 }),
    osDiskSizeGB: size === 0 ? undefined : size,
    osSKU: textOf(pool["os_sku"]),
    maxPods: findNumber(pool["max_pods"]) === 0 ? undefined : findNumber(pool["max_pods"]),
    vnetSubnetID: textOf(pool["vnet_subnet_id"]),
    availabilityZones: zones.length === 0 ? undefined : zones,
    nodeLabels: readTextMap(pool["node_labels"]),
  });
}

/**
 * Reads the pool fields that a cluster's default pool and separate pools have in common. Omits the number of nodes of an autoscaled pool,
 * because the autoscaler changes it.
 */
export function readProfile(profile: PoolProfile): JsonObject {
  const isScaled = profile.enableAutoScaling === true;
  return {
    name: profile.name ?? "",
    vm_size: profile.vmSize ?? "",
    auto_scaling_enabled: isScaled,
    ...(isScaled ? { min_count: profile.minCount ?? 0, max_count: profile.maxCount ?? 0 } : { node_count: profile.count ?? 0 }),
    os_disk_size_gb: profile.osDiskSizeGB ?? 0,
    os_sku: profile.osSKU ?? "",
    max_pods: profile.maxPods ?? 0,
    vnet_subnet_id: profile.vnetSubnetID ?? "",
    zones: sortTexts(profile.availabilityZones),
    node_labels: { ...profile.nodeLabels },
  };
}

/** Returns the version that was requested for a cluster. If only a minor version was requested, AKS chose the patch version. */
function readVersion({ kubernetesVersion, currentKubernetesVersion = "" }: NonNullable<Cluster["properties"]>): string {
  return kubernetesVersion ?? currentKubernetesVersion;
}

/** Returns the version that was requested for a pool. If only a minor version was requested, AKS chose the patch version. */
export function readPoolVersion({ orchestratorVersion, currentOrchestratorVersion = "" }: PoolProfile): string {
  return orchestratorVersion ?? currentOrchestratorVersion;
}

function toAttributes(context: AzureContext, cluster: Cluster): PartAttributes {
  const { properties = {}, identity, tags } = cluster;
  const more = properties as MoreProperties;
  const { resourceGroup, name } = readReference(context, clusterKind, cluster.id ?? "");
  const { version } = toClusterInfo(context, cluster);
  const pool = findDefaultPool(cluster);
  const { apiServerAccessProfile: access } = more;
  return {
    name,
    resource_group_name: resourceGroup,
    location: spellLocation(cluster.location ?? ""),
    kubernetes_version: readVersion(properties),
    current_kubernetes_version: version,
    dns_prefix: more.dnsPrefix ?? "",
    sku_tier: cluster.sku?.tier ?? "",
    default_node_pool: pool === undefined ? [] : [readProfile(pool)],
    orchestrator_version: pool === undefined ? "" : readPoolVersion(pool),
    default_node_count: pool?.count ?? 0,
    identity: [{ type: identity?.type ?? "", identity_ids: Object.keys(identity?.userAssignedIdentities ?? {}).toSorted() }],
    network_profile: [readNetwork(more.networkProfile)],
    private_cluster_enabled: access?.enablePrivateCluster === true,
    authorized_ip_ranges: sortTexts(access?.authorizedIPRanges),
    run_command_enabled: access?.disableRunCommand !== true,
    local_account_disabled: more.disableLocalAccounts === true,
    oidc_issuer_enabled: more.oidcIssuerProfile?.enabled === true,
    workload_identity_enabled: more.securityProfile?.workloadIdentity?.enabled === true,
    tags: listOwnTags(tags),
    kubelet_identity_id: more.identityProfile?.kubeletidentity?.resourceId ?? "",
    fqdn: properties.fqdn ?? "",
    node_resource_group: properties.nodeResourceGroup ?? "",
    oidc_issuer_url: more.oidcIssuerProfile?.issuerURL ?? "",
  };
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly cluster?: Readonly<Record<string, unknown>> }[];
}

/**
 * Reads the address and the CA certificate of the API server, which AKS returns only in kubeconfigs. Both are empty until the API server
 * runs.
 */
async function readServer(context: AzureContext, cluster: Cluster, signal: AbortSignal): Promise<PartAttributes> {
  const { provisioningState, fqdn = "", privateFQDN = "" } = cluster.properties ?? {};
  if (provisioningState === "Creating" || provisioningState === "Deleting" || `${fqdn}${privateFQDN}` === "") return noServer;
  try {
    const { parse } = await import("yaml");
    const text = await readKubeconfig(context, placeOf(context, cluster), { signal });
    const [first] = ((parse(text) ?? {}) as Kubeconfig).clusters ?? [];
    const { server, "certificate-authority-data": certificate } = first?.cluster ?? {};
    return { host: textOf(server), cluster_ca_certificate: textOf(certificate) };
  } catch (error) {
    // A cluster that failed or is being deleted has no kubeconfig.
    if (isCloudFault(error, "conflict", "not_found", "invalid")) return noServer;
    throw error;
  }
}

const noServer: PartAttributes = { host: "", cluster_ca_certificate: "" };

/** Returns the pool that was created with the cluster. If another tool created the cluster, that is its first system pool. */
function findDefaultPool({ properties }: Cluster): PoolProfile | undefined {
  const profiles: readonly PoolProfile[] = properties?.agentPoolProfiles ?? [];
  return profiles.find(({ tags }) => tags?.[defaultPoolTag] === "true") ?? profiles.find(({ mode }) => mode === "System");
}

/** Fields of the default pool that Azure cannot change in place. */
const fixed = ["name", "vm_size", "os_disk_size_gb", "os_sku", "max_pods", "vnet_subnet_id", "zones"];

function renderChange(cluster: Cluster, attributes: PartAttributes): object | undefined {
  const changed: Record<string, unknown> = {
    ...changeVersion(cluster, attributes),
    ...changePools(cluster, attributes),
    ...changeAccess(cluster, attributes),
    ...changeNetwork(cluster, attributes["network_profile"]),
    ...changeSwitches(cluster, attributes),
  };
  const tier = textOf(attributes["sku_tier"]);
  const sku = tier === "" || tier === cluster.sku?.tier ? {} : { sku: { name: "Base", tier } };
  const tags = attributes["tags"] === undefined ? { ...cluster.tags } : replaceTags(cluster.tags, attributes["tags"]);
  const isSame = Object.keys(changed).length + Object.keys(sku).length === 0;
  if (isSame && isDeepStrictEqual(tags, { ...cluster.tags })) return undefined;
  return { ...toClusterBody(cluster, changed), ...sku, tags };
}

function changeVersion({ properties = {} }: Cluster, attributes: PartAttributes): object {
  const version = textOf(attributes["kubernetes_version"]);
  return version === "" || version === readVersion(properties) ? {} : { kubernetesVersion: version };
}

/** Changes the default pool. The other pools in the body stay as they are. */
function changePools(cluster: Cluster, attributes: PartAttributes): object {
  const current = findDefaultPool(cluster);
  if (current === undefined) return {};
  const scaled = changeDefaultPool(cluster, current, attributes["default_node_pool"]);
  const version = textOf(attributes["orchestrator_version"]);
  const isUpgraded = version !== "" && version !== readPoolVersion(current);
  if (scaled === undefined && !isUpgraded) return {};
  const pool = { ...(scaled ?? current), ...(isUpgraded ? { orchestratorVersion: version } : {}) };
  const profiles = cluster.properties?.agentPoolProfiles ?? [];
  return { agentPoolProfiles: profiles.map((each) => (each.name === current.name ? pool : each)) };
}

function changeAccess({ properties = {} }: Cluster, attributes: PartAttributes): object {
  const { apiServerAccessProfile: now = {} } = properties as MoreProperties;
  const { authorized_ip_ranges: ranges, run_command_enabled: commands } = attributes;
  const changed = {
    ...(ranges === undefined || isDeepStrictEqual(sortTexts(ranges), sortTexts(now.authorizedIPRanges))
      ? {}
      : { authorizedIPRanges: sortTexts(ranges) }),
    ...(typeof commands !== "boolean" || commands === (now.disableRunCommand !== true) ? {} : { disableRunCommand: !commands }),
  };
  return Object.keys(changed).length === 0 ? {} : { apiServerAccessProfile: { ...now, ...changed } };
}

/** Changes how nodes reach the internet. AKS cannot change the rest of the network profile. */
function changeNetwork({ name = "", properties = {} }: Cluster, block: Json | undefined): object {
  if (block === undefined) return {};
  const { networkProfile = {} } = properties as MoreProperties;
  const [now, desired] = [readNetwork(networkProfile), readBlock(block)];
  const moved = Object.keys(networkFields).filter((field) => desired[field] !== undefined && desired[field] !== now[field]);
  if (moved.length === 0) return {};
  const rigid = moved.filter((field) => field !== "outbound_type");
  if (rigid.length > 0) throw refuseRequest("azure", `${rigid.join(", ")} of the AKS cluster ${name} cannot be changed`);
  return { networkProfile: { ...networkProfile, outboundType: textOf(desired["outbound_type"]) } };
}

function changeSwitches({ properties = {} }: Cluster, attributes: PartAttributes): object {
  const more = properties as MoreProperties;
  const { local_account_disabled: isClosed, oidc_issuer_enabled: oidc, workload_identity_enabled: identity } = attributes;
  const isOn = (wanted: unknown, now: unknown): boolean => wanted === true && now !== true;
  return {
    ...(typeof isClosed === "boolean" && isClosed !== (more.disableLocalAccounts === true)
      ? { disableLocalAccounts: isClosed }
      : {}),
    // AKS cannot turn off the OIDC issuer once it is on.
    ...(isOn(oidc, more.oidcIssuerProfile?.enabled) ? { oidcIssuerProfile: { enabled: true } } : {}),
    ...(isOn(identity, more.securityProfile?.workloadIdentity?.enabled)
      ? { securityProfile: { ...more.securityProfile, workloadIdentity: { enabled: true } } }
      : {}),
  };
}

/** Returns the changed profile of the default pool, or undefined if it stays the same. */
function changeDefaultPool({ name }: Cluster, current: PoolProfile, block: Json | undefined): object | undefined {
  if (block === undefined) return undefined;
  const [now, desired] = [readProfile(current), readBlock(block)];
  const moved = fixed.filter((field) => desired[field] !== undefined && !isDeepStrictEqual(desired[field], now[field]));
  if (moved.length > 0) {
    const message = `${moved.join(", ")} of the first pool of the AKS cluster ${name} cannot be changed; add another pool instead`;
    throw refuseRequest("azure", message);
  }
  if (isDeepStrictEqual({ ...now, ...desired }, now)) return undefined;
  const { minCount: _min, maxCount: _max, ...kept } = current;
  const rendered = renderProfile({ ...now, ...desired });
  const count = desired["auto_scaling_enabled"] === true ? { count: clamp(current.count ?? 1, rendered) } : {};
  return { ...kept, ...rendered, ...count };
}

/** Keeps the number of nodes that the autoscaler chose, within the new limits. */
export function clamp(count: number, limits: Readonly<Record<string, unknown>>): number {
  const [least, most] = [findNumber(limits["minCount"]) ?? 0, findNumber(limits["maxCount"]) ?? count];
  return Math.min(Math.max(count, least), most);
}
