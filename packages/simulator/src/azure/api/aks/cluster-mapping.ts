import { objectOf, textsOf } from "@cloudwright/platform";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import type { Value } from "../../../values/value.ts";

/** The fields of a cluster, without its agent pools. */
export const clusterMapping: ResourceMapping = {
  type: "azurerm_kubernetes_cluster",
  model: "ManagedCluster",
  fields: [
    ["sku.tier", "sku_tier"],
    ["identity.type", "identity.0.type"],
    { api: "identity.principalId", attribute: "identity.0.principal_id", isReadOnly: true },
    { api: "identity.tenantId", attribute: "identity.0.tenant_id", isReadOnly: true },
    {
      api: "identity.userAssignedIdentities",
      attribute: "identity.0.identity_ids",
      read: toIdentities,
      write: (value) => Object.keys(objectOf(value)),
    },
    ["properties.kubernetesVersion", "kubernetes_version"],
    { api: "properties.currentKubernetesVersion", attribute: "current_kubernetes_version", isReadOnly: true },
    ["properties.dnsPrefix", "dns_prefix"],
    { api: "properties.fqdn", attribute: "fqdn", isReadOnly: true },
    { api: "properties.privateFQDN", attribute: "private_fqdn", isReadOnly: true },
    { api: "properties.azurePortalFQDN", attribute: "portal_fqdn", isReadOnly: true },
    ["properties.enableRBAC", "role_based_access_control_enabled"],
    ["properties.nodeResourceGroup", "node_resource_group"],
    ["properties.disableLocalAccounts", "local_account_disabled"],
    ["properties.diskEncryptionSetID", "disk_encryption_set_id"],
    ["properties.supportPlan", "support_plan"],
    ["properties.networkProfile.networkPlugin", "network_profile.0.network_plugin"],
    ["properties.networkProfile.networkPluginMode", "network_profile.0.network_plugin_mode"],
    ["properties.networkProfile.networkPolicy", "network_profile.0.network_policy"],
    ["properties.networkProfile.networkDataplane", "network_profile.0.network_data_plane"],
    ["properties.networkProfile.podCidr", "network_profile.0.pod_cidr"],
    ["properties.networkProfile.serviceCidr", "network_profile.0.service_cidr"],
    ["properties.networkProfile.dnsServiceIP", "network_profile.0.dns_service_ip"],
    ["properties.networkProfile.outboundType", "network_profile.0.outbound_type"],
    ["properties.networkProfile.loadBalancerSku", "network_profile.0.load_balancer_sku"],
    ["properties.apiServerAccessProfile.enablePrivateCluster", "private_cluster_enabled"],
    ["properties.apiServerAccessProfile.privateDNSZone", "private_dns_zone_id"],
    {
      api: "properties.apiServerAccessProfile.authorizedIPRanges",
      attribute: "api_server_access_profile.0.authorized_ip_ranges",
      read: nonEmpty,
    },
    {
      api: "properties.apiServerAccessProfile.disableRunCommand",
      attribute: "run_command_enabled",
      read: (value) => value === false,
      write: (value) => value !== true,
    },
    ["properties.autoUpgradeProfile.upgradeChannel", "automatic_upgrade_channel"],
    ["properties.autoUpgradeProfile.nodeOSUpgradeChannel", "node_os_upgrade_channel"],
    ["properties.oidcIssuerProfile.enabled", "oidc_issuer_enabled"],
    { api: "properties.oidcIssuerProfile.issuerURL", attribute: "oidc_issuer_url", isReadOnly: true },
    ["properties.securityProfile.workloadIdentity.enabled", "workload_identity_enabled"],
    ["properties.aadProfile.tenantID", "azure_active_directory_role_based_access_control.0.tenant_id"],
    ["properties.aadProfile.enableAzureRBAC", "azure_active_directory_role_based_access_control.0.azure_rbac_enabled"],
    {
      api: "properties.aadProfile.adminGroupObjectIDs",
      attribute: "azure_active_directory_role_based_access_control.0.admin_group_object_ids",
      read: nonEmpty,
    },
    { api: "properties.identityProfile.kubeletidentity.clientId", attribute: "kubelet_identity.0.client_id", isReadOnly: true },
    { api: "properties.identityProfile.kubeletidentity.objectId", attribute: "kubelet_identity.0.object_id", isReadOnly: true },
    {
      api: "properties.identityProfile.kubeletidentity.resourceId",
      attribute: "kubelet_identity.0.user_assigned_identity_id",
      isReadOnly: true,
    },
  ],
};

function toIdentities(value: Value): unknown {
  const ids = textsOf(value);
  return ids.length === 0 ? undefined : Object.fromEntries(ids.map((id) => [id, {}]));
}

function nonEmpty(value: Value): unknown {
  const texts = textsOf(value).toSorted();
  return texts.length === 0 ? undefined : texts;
}
