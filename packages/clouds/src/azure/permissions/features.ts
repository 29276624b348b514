import { resourceActions } from "./resource-actions.ts";

/** A feature whose Azure permissions can be granted separately. */
export type AzureFeature = keyof typeof resources;

/** Resource types in each feature's configurations. A test compares this list with `infra/`. The last three are built without Terraform. */
const resources = {
  network: [
    "azurerm_resource_group",
    "azurerm_virtual_network",
    "azurerm_subnet",
    "azurerm_network_security_group",
    "azurerm_network_security_rule",
    "azurerm_route_table",
    "azurerm_route",
    "azurerm_nat_gateway",
    "azurerm_nat_gateway_public_ip_association",
    "azurerm_public_ip",
    "azurerm_subnet_nat_gateway_association",
    "azurerm_subnet_network_security_group_association",
    "azurerm_subnet_route_table_association",
    "azurerm_private_dns_zone",
    "azurerm_private_dns_zone_virtual_network_link",
    "data.azurerm_resource_group",
    "data.azurerm_virtual_network",
    "data.azurerm_subnet",
  ],
  cluster: [
    "azurerm_resource_group",
    "azurerm_kubernetes_cluster",
    "azurerm_kubernetes_cluster_node_pool",
    "azurerm_user_assigned_identity",
    "azurerm_federated_identity_credential",
    "azurerm_role_assignment",
    "azurerm_key_vault",
    "azurerm_key_vault_key",
    "azurerm_log_analytics_workspace",
    "azurerm_monitor_diagnostic_setting",
    "data.azurerm_client_config",
    "data.azurerm_subscription",
    "data.azurerm_resource_group",
    "data.azurerm_user_assigned_identity",
    "data.azurerm_kubernetes_service_versions",
    "data.azurerm_subnet",
  ],
  storage: [
    "azurerm_resource_group",
    "azurerm_storage_account",
    "azurerm_storage_container",
    "azurerm_storage_container_immutability_policy",
    "azurerm_storage_management_policy",
    "azurerm_managed_disk",
    "azurerm_snapshot",
    "azurerm_disk_encryption_set",
    "azurerm_user_assigned_identity",
    "azurerm_role_assignment",
    "azurerm_key_vault",
    "azurerm_key_vault_key",
    "data.azurerm_client_config",
    "data.azurerm_resource_group",
    "data.azurerm_key_vault",
    "data.azurerm_key_vault_key",
    "data.azurerm_user_assigned_identity",
  ],
  instance: [
    "azurerm_resource_group",
    "azurerm_public_ip",
    "azurerm_network_interface",
    "azurerm_linux_virtual_machine",
    "data.azurerm_subnet",
  ],
  securitygroup: ["azurerm_application_security_group", "azurerm_network_security_group"],
  volume: ["azurerm_resource_group", "azurerm_managed_disk", "azurerm_virtual_machine_data_disk_attachment"],
} as const satisfies Record<string, readonly string[]>;

// Actions that every run needs, regardless of the feature.
const always = [
  "Microsoft.Resources/subscriptions/read",
  "Microsoft.Resources/subscriptions/locations/read",
  "Microsoft.Resources/subscriptions/providers/read",
  "Microsoft.Resources/subscriptions/resources/read",
  "Microsoft.Resources/subscriptions/operationresults/read",
  "Microsoft.Resources/subscriptions/resourceGroups/read",
  "Microsoft.Authorization/permissions/read",
  "Microsoft.Authorization/roleAssignments/read",
  "Microsoft.ContainerService/managedClusters/read",
  "Microsoft.Insights/eventtypes/values/read",
  "Microsoft.Insights/eventtypes/management/values/read",
];

// Actions needed for preflight checks and for removing leftover resources.
const additional: Readonly<Record<AzureFeature, readonly string[]>> = {
  network: [
    "Microsoft.Network/virtualNetworks/read",
    "Microsoft.Network/publicIPAddresses/read",
    "Microsoft.Network/natGateways/read",
    "Microsoft.Network/locations/usages/read",
    "Microsoft.Compute/locations/usages/read",
    "Microsoft.Compute/skus/read",
  ],
  cluster: [
    "Microsoft.Compute/skus/read",
    "Microsoft.Compute/locations/usages/read",
    "Microsoft.Network/locations/usages/read",
    "Microsoft.ContainerService/locations/kubernetesVersions/read",
    "Microsoft.Compute/disks/read",
    "Microsoft.Compute/disks/write",
    "Microsoft.Compute/disks/delete",
    "Microsoft.Compute/locations/DiskOperations/read",
    "Microsoft.Network/publicIPAddresses/read",
    "Microsoft.Network/publicIPAddresses/delete",
    "Microsoft.Network/loadBalancers/read",
    "Microsoft.Network/loadBalancers/delete",
    "Microsoft.Network/locations/operations/read",
    "Microsoft.Resources/subscriptions/resourceGroups/moveResources/action",
  ],
  storage: ["Microsoft.Storage/checknameavailability/read", "Microsoft.Storage/storageAccounts/read"],
  instance: [
    "Microsoft.Compute/skus/read",
    "Microsoft.Compute/locations/usages/read",
    "Microsoft.Compute/locations/publishers/artifacttypes/offers/skus/versions/read",
  ],
  securitygroup: ["Microsoft.Network/locations/operations/read"],
  volume: [],
};

// Data actions for the calls that the platform itself makes.
const additionalData: Readonly<Record<AzureFeature, readonly string[]>> = {
  network: [],
  cluster: [],
  storage: ["Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read"],
  instance: [],
  securitygroup: [],
  volume: [],
};

export const azureFeatures = Object.keys(resources) as readonly AzureFeature[];

/** Returns the resource types that a feature's configurations contain. */
export function listResources(feature: AzureFeature): readonly string[] {
  return resources[feature];
}

/** Returns the actions that a feature needs, sorted. */
export function listActions(feature: AzureFeature): readonly string[] {
  const built = resources[feature].flatMap((type) => resourceActions[type]?.actions ?? []);
  return unique([...built, ...always, ...additional[feature]]);
}

/** Returns the data actions that a feature needs, sorted. */
export function listDataActions(feature: AzureFeature): readonly string[] {
  return unique([...resources[feature].flatMap((type) => resourceActions[type]?.dataActions ?? []), ...additionalData[feature]]);
}

/** Returns the resource providers that must be registered in the subscription for a feature. */
export function listNamespaces(feature: AzureFeature): readonly string[] {
  const all = [...listActions(feature), ...listDataActions(feature)].map((action) => action.split("/")[0] ?? "");
  // These two resource providers are registered in every subscription.
  return unique(all).filter((name) => !["Microsoft.Resources", "Microsoft.Authorization"].includes(name));
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}
