/** Actions that the Terraform provider needs for one resource type. */
export interface ResourceActions {
  readonly actions: readonly string[];
  /** Actions on the data of a resource, such as the keys in a vault. */
  readonly dataActions?: readonly string[];
}

/** Returns the actions to create, read, update and delete resources of one of Azure's types. */
function manage(type: string, ...more: readonly string[]): readonly string[] {
  return [...["read", "write", "delete"].map((verb) => `${type}/${verb}`), ...more];
}

const network = "Microsoft.Network";
const subnet = `${network}/virtualNetworks/subnets`;
const storage = "Microsoft.Storage/storageAccounts";
const container = `${storage}/blobServices/containers`;
const cluster = "Microsoft.ContainerService/managedClusters";
const groups = "Microsoft.Resources/subscriptions/resourceGroups";
const vault = "Microsoft.KeyVault";
const nothing: ResourceActions = { actions: [] };

/** Returns the actions to associate another resource with a subnet. The association is stored in the subnet. */
const tie = (other: string): ResourceActions => ({
  actions: [`${network}/virtualNetworks/read`, `${subnet}/read`, `${subnet}/write`, `${network}/${other}/join/action`],
});

/**
 * Actions that the Terraform provider needs to create, read, update, tag and delete each resource type. Data sources have the prefix `data.`.
 */
export const resourceActions: Readonly<Record<string, ResourceActions>> = {
  azurerm_resource_group: { actions: manage(groups, `${groups}/resources/read`) },
  azurerm_virtual_network: { actions: manage(`${network}/virtualNetworks`, ...manage(subnet)) },
  azurerm_subnet: {
    actions: manage(subnet, `${network}/virtualNetworks/read`, `${network}/locations/operations/read`),
  },
  azurerm_network_security_group: { actions: manage(`${network}/networkSecurityGroups`) },
  azurerm_application_security_group: {
    actions: manage(
      `${network}/applicationSecurityGroups`,
      `${network}/applicationSecurityGroups/joinNetworkSecurityRule/action`,
    ),
  },
  azurerm_network_security_rule: {
    actions: manage(`${network}/networkSecurityGroups/securityRules`, `${network}/networkSecurityGroups/read`),
  },
  azurerm_route_table: { actions: manage(`${network}/routeTables`) },
  azurerm_route: { actions: manage(`${network}/routeTables/routes`, `${network}/routeTables/read`) },
  azurerm_nat_gateway: { actions: manage(`${network}/natGateways`) },
  azurerm_nat_gateway_public_ip_association: {
    actions: [`${network}/natGateways/read`, `${network}/natGateways/write`, `${network}/publicIPAddresses/join/action`],
  },
  azurerm_public_ip: { actions: manage(`${network}/publicIPAddresses`) },
  azurerm_network_interface: {
    actions: manage(
      `${network}/networkInterfaces`,
      `${network}/networkInterfaces/join/action`,
      `${network}/publicIPAddresses/join/action`,
      `${network}/networkSecurityGroups/join/action`,
      `${network}/applicationSecurityGroups/joinIpConfiguration/action`,
      `${subnet}/join/action`,
      `${network}/locations/operations/read`,
    ),
  },
  azurerm_linux_virtual_machine: {
    actions: manage(
      "Microsoft.Compute/virtualMachines",
      ...["start", "deallocate", "retrieveBootDiagnosticsData"].map((verb) => `Microsoft.Compute/virtualMachines/${verb}/action`),
      "Microsoft.Compute/virtualMachines/instanceView/read",
      ...manage("Microsoft.Compute/disks"),
      "Microsoft.Compute/diskEncryptionSets/read",
      "Microsoft.Compute/locations/operations/read",
      "Microsoft.Compute/locations/DiskOperations/read",
    ),
  },
  azurerm_virtual_machine_data_disk_attachment: {
    actions: [
      "Microsoft.Compute/virtualMachines/read",
      "Microsoft.Compute/virtualMachines/attachDetachDataDisks/action",
      "Microsoft.Compute/disks/read",
      "Microsoft.Compute/disks/write",
      "Microsoft.Compute/locations/operations/read",
    ],
  },
  azurerm_public_ip_prefix: { actions: manage(`${network}/publicIPPrefixes`, `${network}/publicIPPrefixes/join/action`) },
  azurerm_subnet_nat_gateway_association: tie("natGateways"),
  azurerm_subnet_network_security_group_association: tie("networkSecurityGroups"),
  azurerm_subnet_route_table_association: tie("routeTables"),
  azurerm_private_dns_zone: {
    actions: manage(`${network}/privateDnsZones`, `${network}/privateDnsZones/SOA/read`, `${network}/privateDnsZones/SOA/write`),
  },
  azurerm_private_dns_zone_virtual_network_link: {
    actions: manage(
      `${network}/privateDnsZones/virtualNetworkLinks`,
      `${network}/virtualNetworks/join/action`,
      `${network}/privateDnsZones/read`,
    ),
  },
  azurerm_network_watcher_flow_log: {
    actions: manage(
      `${network}/networkWatchers/flowLogs`,
      `${network}/networkWatchers/read`,
      `${network}/networkWatchers/configureFlowLog/action`,
    ),
  },
  azurerm_kubernetes_cluster: {
    actions: manage(
      cluster,
      `${cluster}/accessProfiles/listCredential/action`,
      `${cluster}/listClusterUserCredential/action`,
      `${cluster}/listClusterAdminCredential/action`,
      `${cluster}/agentPools/read`,
      `${cluster}/agentPools/write`,
      `${cluster}/agentPools/delete`,
      `${cluster}/availableAgentPoolVersions/read`,
      "Microsoft.ContainerService/locations/operationresults/read",
      "Microsoft.ContainerService/locations/operations/read",
      ...manage(`${cluster}/maintenanceConfigurations`),
      "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action",
      `${subnet}/join/action`,
      `${network}/publicIPAddresses/join/action`,
      `${network}/privateDnsZones/join/action`,
    ),
  },
  azurerm_kubernetes_cluster_node_pool: {
    actions: manage(
      `${cluster}/agentPools`,
      `${cluster}/agentPools/upgradeNodeImageVersion/action`,
      `${cluster}/agentPools/upgradeProfiles/read`,
      `${cluster}/availableAgentPoolVersions/read`,
      `${cluster}/read`,
      `${subnet}/join/action`,
    ),
  },
  azurerm_user_assigned_identity: { actions: manage("Microsoft.ManagedIdentity/userAssignedIdentities") },
  azurerm_federated_identity_credential: {
    actions: manage(
      "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials",
      "Microsoft.ManagedIdentity/userAssignedIdentities/read",
    ),
  },
  azurerm_role_assignment: {
    actions: manage("Microsoft.Authorization/roleAssignments", "Microsoft.Authorization/roleDefinitions/read"),
  },
  azurerm_key_vault: {
    actions: manage(
      `${vault}/vaults`,
      `${vault}/locations/deletedVaults/read`,
      `${vault}/locations/deletedVaults/purge/action`,
      `${vault}/locations/operationResults/read`,
      `${vault}/checkNameAvailability/read`,
      `${vault}/deletedVaults/read`,
    ),
  },
  azurerm_key_vault_key: {
    actions: [`${vault}/vaults/read`, `${vault}/vaults/keys/read`, "Microsoft.Resources/subscriptions/resources/read"],
    dataActions: [
      ...["read", "create/action", "update/action", "delete", "recover/action", "purge/action"].map(
        (verb) => `${vault}/vaults/keys/${verb}`,
      ),
      `${vault}/vaults/keyrotationpolicies/read`,
      `${vault}/vaults/keyrotationpolicies/write`,
    ],
  },
  azurerm_disk_encryption_set: {
    actions: manage("Microsoft.Compute/diskEncryptionSets", `${vault}/vaults/read`, `${vault}/vaults/deploy/action`),
  },
  azurerm_log_analytics_workspace: {
    actions: manage("Microsoft.OperationalInsights/workspaces", "Microsoft.OperationalInsights/workspaces/sharedKeys/action"),
  },
  azurerm_monitor_diagnostic_setting: { actions: manage("Microsoft.Insights/diagnosticSettings") },
  azurerm_storage_account: {
    actions: manage(
      storage,
      `${storage}/blobServices/read`,
      `${storage}/blobServices/write`,
      `${storage}/fileServices/read`,
      `${storage}/queueServices/read`,
      "Microsoft.Storage/locations/asyncoperations/read",
      "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action",
    ),
  },
  azurerm_storage_account_customer_managed_key: {
    actions: [`${storage}/read`, `${storage}/write`, `${vault}/vaults/read`],
  },
  azurerm_storage_container: { actions: manage(container, `${storage}/read`) },
  azurerm_storage_container_immutability_policy: {
    actions: manage(`${container}/immutabilityPolicies`, `${container}/immutabilityPolicies/lock/action`),
  },
  azurerm_storage_management_policy: { actions: manage(`${storage}/managementPolicies`) },
  azurerm_managed_disk: {
    actions: manage("Microsoft.Compute/disks", "Microsoft.Compute/locations/DiskOperations/read"),
  },
  azurerm_snapshot: { actions: manage("Microsoft.Compute/snapshots", "Microsoft.Compute/disks/beginGetAccess/action") },
  "data.azurerm_client_config": nothing,
  "data.azurerm_subscription": { actions: ["Microsoft.Resources/subscriptions/read"] },
  "data.azurerm_resource_group": { actions: [`${groups}/read`] },
  "data.azurerm_virtual_network": { actions: [`${network}/virtualNetworks/read`] },
  "data.azurerm_subnet": { actions: [`${subnet}/read`] },
  "data.azurerm_user_assigned_identity": { actions: ["Microsoft.ManagedIdentity/userAssignedIdentities/read"] },
  "data.azurerm_kubernetes_service_versions": { actions: ["Microsoft.ContainerService/locations/kubernetesVersions/read"] },
  "data.azurerm_key_vault": { actions: [`${vault}/vaults/read`] },
  "data.azurerm_key_vault_key": {
    actions: [`${vault}/vaults/read`, "Microsoft.Resources/subscriptions/resources/read"],
    dataActions: [`${vault}/vaults/keys/read`],
  },
};
