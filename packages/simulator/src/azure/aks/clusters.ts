import { clusterReserved } from "@cloudwright/contract/clouds/azure/reserved-ranges";
import { overlaps, parseRange } from "@cloudwright/platform";
import type { ClusterApi, DescribeClusterApi } from "../../cloud/cluster-api.ts";
import { findOverlapping } from "../../cloud/reserved-ranges.ts";
import type { HookContext, SideEffects } from "../../provider/definition.ts";
import { blockOf, numberOf, textOf, textsAt } from "../../values/read-value.ts";
import { isList, type Value, type ValueMap } from "../../values/value.ts";
import { createSelfSigned } from "../../wire/certificate.ts";
import { hasRole } from "../identity/role-assignments.ts";
import { mayUse } from "../key-vault/vaults.ts";
import { guid, subscriptionOf } from "../place.ts";
import type { Refusal } from "../refusal.ts";
import { inGroup, type AzureChange, type AzureResource } from "../resource.ts";
import { checkPool, countProcessors, describePool } from "./pools.ts";
import { badRequest, inSubnet } from "./refusals.ts";
import { defaultVersion, findVersion, minorOf } from "./versions.ts";

/** Returns the AKS cluster resource type. */
export function createClusters(describeApi: DescribeClusterApi | undefined): {
  readonly azurerm_kubernetes_cluster: AzureResource;
} {
  return {
    azurerm_kubernetes_cluster: {
      noun: "Kubernetes Cluster",
      path: `${inGroup}/Microsoft.ContainerService/managedClusters/{name}`,
      forceNew: [
        "dns_prefix",
        "dns_prefix_private_cluster",
        "disk_encryption_set_id",
        "default_node_pool.name",
        "default_node_pool.type",
        "default_node_pool.gpu_driver",
        "default_node_pool.gpu_instance",
        "kubelet_identity.client_id",
        "kubelet_identity.object_id",
        "kubelet_identity.user_assigned_identity_id",
        "network_profile.dns_service_ip",
        "network_profile.load_balancer_sku",
        "network_profile.network_data_plane",
        "network_profile.network_plugin",
        "network_profile.network_policy",
        "network_profile.pod_cidr",
        "network_profile.service_cidr",
        "node_resource_group",
        "private_cluster_enabled",
        "private_dns_zone_id",
        "role_based_access_control_enabled",
      ],
      defaults: {
        node_os_upgrade_channel: "NodeImage",
        oidc_issuer_enabled: true,
        private_cluster_enabled: false,
        private_cluster_public_fqdn_enabled: false,
        role_based_access_control_enabled: true,
        run_command_enabled: true,
        sku_tier: "Free",
        support_plan: "KubernetesOfficial",
        workload_identity_enabled: false,
        ai_toolchain_operator_enabled: false,
        "default_node_pool.type": "VirtualMachineScaleSets",
        "default_node_pool.os_disk_type": "Managed",
        "default_node_pool.scale_down_mode": "Delete",
        "default_node_pool.ultra_ssd_enabled": false,
        "network_profile.load_balancer_sku": "standard",
        "network_profile.network_data_plane": "azure",
        "network_profile.outbound_type": "loadBalancer",
        "node_provisioning_profile.mode": "Manual",
        "node_provisioning_profile.default_node_pools": "Auto",
        "key_management_service.key_vault_network_access": "Public",
      },
      computedBlocks: ["auto_scaler_profile", "kubelet_identity", "network_profile", "windows_profile"],
      recompute: { current_kubernetes_version: ["kubernetes_version"] },
      names: [
        inSubnet("default_node_pool.vnet_subnet_id"),
        inSubnet("default_node_pool.pod_subnet_id"),
        inSubnet("api_server_access_profile.subnet_id"),
        {
          path: "identity.identity_ids",
          to: ["azurerm_user_assigned_identity"],
          missing: (id) => badRequest(`The identity ${id} was not found.`, "identity"),
          tie: "none",
        },
      ],
      limits: [
        {
          quota: "managed-clusters-per-region",
          within: "location",
          refusal: (limit) => ({
            code: "QuotaExceeded",
            message: `Preflight validation failed. The subscription can have at most ${limit} managed clusters in this region.`,
          }),
        },
      ],
      takes: { create: 300, update: 180, delete: 180 },
      validate: (config) => validateCluster(config),
      check: (change, context) => checkCluster(change, context),
      compute: (change, context) => describeCluster(change, context, describeApi),
      sideEffects: (change, context) => followCluster(change, context),
    },
  };
}

function validateCluster(config: ValueMap): readonly { summary: string; path: readonly string[] }[] {
  const { local_account_disabled: isDisabled, azure_active_directory_role_based_access_control: entra } = config;
  return isDisabled === true && isList(entra) && entra.length === 0
    ? [
        {
          summary:
            "`local_account_disabled` can only be set when an `azure_active_directory_role_based_access_control` block is set",
          path: ["local_account_disabled"],
        },
      ]
    : [];
}

async function checkCluster(change: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  const { operation, id, prior, planned } = change;
  if (operation === "delete") return [];
  const name = textOf(planned["name"]);
  if (!/^[a-zA-Z0-9]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?$/.test(name)) {
    return [badRequest(`The value of parameter resourceName '${name}' is invalid.`, "name")];
  }
  const pool = blockOf(planned, "default_node_pool");
  return [
    ...checkVersion(versionOf(prior), textOf(planned["kubernetes_version"])),
    ...(numberOf(pool["node_count"]) === 0 && pool["auto_scaling_enabled"] !== true && operation === "update"
      ? [badRequest("System node pools must have at least one node.", "default_node_pool")]
      : []),
    ...checkPool(pool, textOf(planned["location"])),
    ...(await countProcessors(id, pool, context)),
    ...(await checkRanges(planned, context)),
    ...(await checkRoutes(planned, context)),
    ...(await checkIdentities(planned, context)),
    ...(await checkKey(planned, context)),
  ];
}

/**
 * Returns an error if AKS does not offer the version or cannot upgrade to it. A control plane can be upgraded by only one minor version at
 * a time.
 */
function checkVersion(before: string, after: string): readonly Refusal[] {
  if (after === "" || findVersion(after)?.patch === before) return [];
  const found = findVersion(after);
  if (found === undefined) {
    return [{ code: "K8sVersionNotSupported", message: `Managed cluster version ${after} is not supported in this region.` }];
  }
  const step = before === "" ? 0 : minorOf(after) - minorOf(before);
  if (step === 0 || step === 1) return [];
  const reason = step < 0 ? "downgrading is not supported" : "upgrades must not skip a minor version";
  return [
    badRequest(`Upgrading Kubernetes version ${before} to ${found.patch} is not allowed: ${reason}.`, "kubernetes_version"),
  ];
}

function versionOf(attributes: ValueMap): string {
  return textOf(attributes["current_kubernetes_version"]);
}

async function checkRanges(planned: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const { service_cidr: services, pod_cidr: pods, dns_service_ip: dns } = blockOf(planned, "network_profile");
  const ranges = [
    ["service", parseRange(textOf(services))],
    ["pod", parseRange(textOf(pods))],
  ] as const;
  const subnetId = textOf(blockOf(planned, "default_node_pool")["vnet_subnet_id"]);
  const found = await context.find({ type: "azurerm_subnet", id: subnetId });
  for (const text of textsAt(found?.attributes, "address_prefixes")) {
    const range = parseRange(text);
    const reserved = findOverlapping(range, clusterReserved);
    if (reserved !== undefined) {
      return [badRequest(`The subnet CIDR ${text} overlaps the range ${reserved}, which AKS reserves.`, "default_node_pool")];
    }
  }
  for (const [word, range] of ranges) {
    const reserved = findOverlapping(range, clusterReserved);
    if (reserved !== undefined) {
      return [badRequest(`The ${word} CIDR overlaps the range ${reserved}, which AKS reserves.`, "network_profile")];
    }
    for (const text of textsAt(found?.attributes, "address_prefixes")) {
      const other = parseRange(text);
      if (range !== undefined && other !== undefined && overlaps(range, other)) {
        const written = word === "service" ? textOf(services) : textOf(pods);
        const code = word === "service" ? "ServiceCidrOverlapExistingSubnetsCidr" : "PodCidrOverlapExistingSubnetsCidr";
        return [{ code, message: `The specified ${word} CIDR ${written} is conflicted with an existing subnet CIDR ${text}` }];
      }
    }
  }
  const [[, service], [, pod]] = ranges;
  if (service !== undefined && pod !== undefined && overlaps(service, pod)) {
    return [badRequest(`The pod CIDR ${textOf(pods)} overlaps with the service CIDR ${textOf(services)}`, "network_profile")];
  }
  const server = parseRange(`${textOf(dns)}/32`);
  return service !== undefined && server !== undefined && !overlaps(service, server)
    ? [badRequest(`The DNS service IP ${textOf(dns)} is not within the service CIDR ${textOf(services)}`, "network_profile")]
    : [];
}

async function checkRoutes(planned: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const outbound = textOf(blockOf(planned, "network_profile")["outbound_type"]);
  const subnetId = textOf(blockOf(planned, "default_node_pool")["vnet_subnet_id"]);
  const needed = {
    userAssignedNATGateway: ["azurerm_subnet_nat_gateway_association", "NAT gateway"],
    userDefinedRouting: ["azurerm_subnet_route_table_association", "route table"],
  } as const;
  const [type, noun] = needed[outbound as keyof typeof needed] ?? [];
  if (type === undefined) return [];
  const isThere = (await context.list(type)).some(({ attributes }) => attributes["subnet_id"] === subnetId);
  if (isThere) return [];
  const code =
    noun === "route table" ? "ExistingRouteTableNotAssociatedWithSubnet" : "UserAssignedNATGatewayNotAssociatedWithSubnet";
  return [{ code, message: `An existing ${noun} has not been associated with subnet ${subnetId}.`, path: ["network_profile"] }];
}

async function checkIdentities(planned: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const principal = await findPrincipal(planned, context);
  const kubelet = textOf(blockOf(planned, "kubelet_identity")["user_assigned_identity_id"]);
  // No permission is needed to assign a kubelet identity that AKS created itself.
  const isOfAks = kubelet.includes(`/resourceGroups/${textOf(planned["node_resource_group"])}/`);
  if (kubelet !== "" && !isOfAks && principal !== undefined) {
    if (!(await hasRole(principal, ["Managed Identity Operator", "Contributor", "Owner"], kubelet, context))) {
      const message = `The cluster user assigned identity must be given permission to assign kubelet identity ${kubelet}. Check access result not allowed for action Microsoft.ManagedIdentity/userAssignedIdentities/assign/action.`;
      return [{ code: "CustomKubeletIdentityMissingPermissionError", message }];
    }
  }
  const subnets = [
    ...textsAt(planned, "api_server_access_profile.subnet_id"),
    ...textsAt(planned, "default_node_pool.vnet_subnet_id"),
  ];
  for (const subnet of principal === undefined ? [] : subnets) {
    if (await hasRole(principal ?? "", ["Network Contributor", "Contributor", "Owner"], subnet, context)) continue;
    const message = `Managed identity ${principal ?? ""} does not have Microsoft.Network/virtualNetworks/subnets/join/action permission on subnet ${subnet}.`;
    return [{ code: "LinkedAuthorizationFailed", message, status: 403 }];
  }
  return [];
}

async function checkKey(planned: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const keyId = textOf(blockOf(planned, "key_management_service")["key_vault_key_id"]);
  if (keyId === "") return [];
  const vaultName = /^https:\/\/(?<vault>[^.]+)\./.exec(keyId)?.groups?.["vault"];
  const vault = (await context.list("azurerm_key_vault")).find(
    ({ attributes }) => textOf(attributes["name"]).toLowerCase() === vaultName,
  );
  const keys = await context.list("azurerm_key_vault_key");
  const isThere = keys.some(({ id, attributes }) => id === keyId || attributes["versionless_id"] === keyId);
  if (vault === undefined || !isThere) {
    return [{ code: "KeyVaultKeyNotFound", message: `The key ${keyId} was not found.`, path: ["key_management_service"] }];
  }
  const principal = (await findPrincipal(planned, context)) ?? "";
  const accepted = ["Key Vault Crypto User", "Key Vault Crypto Officer", "Key Vault Administrator"];
  if (await mayUse(vault, principal, "Encrypt", accepted, context)) return [];
  const message = `The identity ${principal} has no permission to encrypt and decrypt with the key ${keyId}.`;
  return [{ code: "KeyVaultKeyPermissionDenied", message, status: 403, path: ["key_management_service"] }];
}

/** Returns the principal of the control plane's user-assigned identity, or undefined if AKS creates the identity. */
async function findPrincipal(planned: ValueMap, context: HookContext): Promise<string | undefined> {
  const [id] = textsAt(planned, "identity.identity_ids");
  if (id === undefined) return undefined;
  return textOf((await context.find({ type: "azurerm_user_assigned_identity", id }))?.attributes["principal_id"]);
}

async function describeCluster(
  { id, planned, prior }: AzureChange,
  context: HookContext,
  describeApi: DescribeClusterApi | undefined,
): Promise<Record<string, Value>> {
  const [name, location, group] = ["name", "location", "resource_group_name"].map((key) => textOf(planned[key]));
  const prefix = textOf(planned["dns_prefix"]) || textOf(planned["dns_prefix_private_cluster"]) || "aks";
  const host = `${prefix}-${guid(id).slice(0, 8)}`;
  const isPrivate = planned["private_cluster_enabled"] === true;
  const zone = isPrivate ? `${guid(`zone ${id}`)}.privatelink.${location}.azmk8s.io` : `hcp.${location}.azmk8s.io`;
  const asked = textOf(planned["kubernetes_version"]) || textOf(prior["kubernetes_version"]) || defaultVersion;
  const version = findVersion(asked)?.patch ?? asked;
  const nodeGroup = textOf(planned["node_resource_group"]) || `MC_${group}_${name}_${location}`;
  const api =
    prior["kube_config"] === undefined
      ? await (describeApi?.({ tenant: context.tenant, region: location ?? "", name: name ?? "" }) ??
          nowhere(`${host}.${zone}`, context.nowMs))
      : undefined;
  const kubelet = blockOf(planned, "kubelet_identity");
  return {
    fqdn: isPrivate ? "" : `${host}.${zone}`,
    private_fqdn: isPrivate ? `${host}.${zone}` : "",
    portal_fqdn: `${host}.portal.hcp.${location}.azmk8s.io`,
    kubernetes_version: asked,
    current_kubernetes_version: version,
    node_resource_group: nodeGroup,
    node_resource_group_id: `/subscriptions/${subscriptionOf(context)}/resourceGroups/${nodeGroup}`,
    oidc_issuer_url: `https://${location}.oic.prod-aks.azure.com/${guid(`tenant ${context.tenant}`)}/${guid(`issuer ${id}`)}/`,
    http_application_routing_zone_name: "",
    private_dns_zone_id: isPrivate ? "System" : "",
    default_node_pool: [describePool(blockOf(planned, "default_node_pool"), version)],
    identity: [{ principal_id: "", tenant_id: guid(`tenant ${context.tenant}`) }],
    kubelet_identity: [
      isList(planned["kubelet_identity"]) && planned["kubelet_identity"].length > 0
        ? kubelet
        : {
            client_id: guid(`kubelet client ${id}`),
            object_id: guid(`kubelet object ${id}`),
            user_assigned_identity_id: `/subscriptions/${subscriptionOf(context)}/resourceGroups/${nodeGroup}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}-agentpool`,
          },
    ],
    network_profile: [describeNetwork(planned)],
    auto_scaler_profile: [],
    windows_profile: [],
    kube_admin_config: [],
    kube_admin_config_raw: "",
    ...(api === undefined ? {} : { kube_config: [describeAccess(api, name ?? "")], kube_config_raw: "" }),
  };
}

function describeNetwork(planned: ValueMap): ValueMap {
  const given = blockOf(planned, "network_profile");
  const service = textOf(given["service_cidr"]) || "10.0.0.0/16";
  const isOverlay = given["network_plugin_mode"] === "overlay";
  const pod = textOf(given["pod_cidr"]) || (isOverlay ? "10.244.0.0/16" : "");
  const isCilium = given["network_data_plane"] === "cilium";
  return {
    dns_service_ip: service.replace(/\.\d+\/\d+$/, ".10"),
    ip_versions: ["IPv4"],
    network_mode: "",
    network_policy: isCilium ? "cilium" : "",
    pod_cidr: pod,
    pod_cidrs: pod === "" ? [] : [pod],
    service_cidr: service,
    service_cidrs: [service],
    network_plugin: "azure",
    outbound_type: "loadBalancer",
    load_balancer_sku: "standard",
    network_data_plane: "azure",
    load_balancer_profile: [],
    nat_gateway_profile: [],
  };
}

// The client certificate and key are empty, because the platform authenticates with tokens.
function describeAccess({ endpoint, caPem }: ClusterApi, name: string): ValueMap {
  return {
    host: endpoint,
    cluster_ca_certificate: Buffer.from(caPem).toString("base64"),
    client_certificate: "",
    client_key: "",
    username: `clusterUser_${name}`,
    password: "",
  };
}

async function nowhere(host: string, nowMs: number): Promise<ClusterApi> {
  return { endpoint: `https://${host}:443`, caPem: createSelfSigned(nowMs).certificatePem };
}

/**
 * AKS keeps nodes, load balancers and disks in a resource group of its own, and deletes that group with the cluster. The group has no record,
 * because only AKS manages it.
 */
async function followCluster({ operation, prior }: AzureChange, context: HookContext): Promise<SideEffects> {
  if (operation !== "delete") return {};
  const group = `/subscriptions/${subscriptionOf(context)}/resourceGroups/${textOf(prior["node_resource_group"])}/`;
  return { delete: (await context.list()).filter(({ id }) => id.startsWith(group)) };
}
