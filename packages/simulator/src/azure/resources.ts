import type { DescribeClusterApi } from "../cloud/cluster-api.ts";
import type { HookContext, ResourceHooks } from "../provider/definition.ts";
import type { ProviderSchema } from "../schema/schema.ts";
import { isMap } from "../values/value.ts";
import { createClusters } from "./aks/clusters.ts";
import { nodePools } from "./aks/node-pools.ts";
import { createHooks } from "./create-hooks.ts";
import { identities } from "./identity/identities.ts";
import { roleAssignments } from "./identity/role-assignments.ts";
import { vaults } from "./key-vault/vaults.ts";
import { guid } from "./place.ts";
import type { Refusal } from "./refusal.ts";
import { inGroup, type AzureResources } from "./resource.ts";

const network = `${inGroup}/Microsoft.Network`;
const compute = `${inGroup}/Microsoft.Compute`;

const others: AzureResources = {
  azurerm_disk_encryption_set: { noun: "Disk Encryption Set", path: `${compute}/diskEncryptionSets/{name}` },
  azurerm_linux_virtual_machine: {
    noun: "Virtual Machine",
    path: `${compute}/virtualMachines/{name}`,
    forceNew: ["source_image_id", "zone"],
    takes: { create: 45, update: 20, delete: 20 },
  },
  azurerm_log_analytics_workspace: {
    noun: "Workspace",
    path: `${inGroup}/Microsoft.OperationalInsights/workspaces/{name}`,
    takes: { create: 30, update: 15, delete: 15 },
  },
  azurerm_managed_disk: { noun: "Managed Disk", path: `${compute}/disks/{name}`, forceNew: ["create_option", "zone"] },
  azurerm_nat_gateway: {
    noun: "Nat Gateway",
    path: `${network}/natGateways/{name}`,
    forceNew: ["sku_name", "zones"],
    takes: { create: 10, update: 5, delete: 5 },
    compute: ({ id }) => ({ resource_guid: guid(id) }),
  },
  azurerm_nat_gateway_public_ip_association: {
    noun: "Nat Gateway Public IP Association",
    path: "{nat_gateway_id}|{public_ip_address_id}",
  },
  azurerm_network_interface: { noun: "Network Interface", path: `${network}/networkInterfaces/{name}` },
  azurerm_network_security_group: { noun: "Network Security Group", path: `${network}/networkSecurityGroups/{name}` },
  azurerm_network_security_rule: {
    noun: "Security Rule",
    path: `${network}/networkSecurityGroups/{network_security_group_name}/securityRules/{name}`,
  },
  azurerm_private_dns_zone: {
    noun: "Private DNS Zone",
    path: `${network}/privateDnsZones/{name}`,
    takes: { create: 30, update: 15, delete: 15 },
  },
  azurerm_private_dns_zone_virtual_network_link: {
    noun: "Virtual Network Link",
    path: "{private_dns_zone_id}/virtualNetworkLinks/{name}",
    takes: { create: 30, update: 15, delete: 15 },
  },
  azurerm_public_ip: {
    noun: "Public IP Address",
    path: `${network}/publicIPAddresses/{name}`,
    forceNew: ["sku", "zones", "ip_version"],
    compute: () => ({ ip_address: "203.0.113.20" }),
  },
  azurerm_resource_group: {
    noun: "Resource Group",
    path: "/subscriptions/{subscription_id}/resourceGroups/{name}",
    takes: { create: 10, update: 5, delete: 5 },
    check: ({ operation, id }, context) => (operation === "delete" ? checkEmpty(id, context) : []),
  },
  azurerm_route: { noun: "Route", path: `${network}/routeTables/{route_table_name}/routes/{name}` },
  azurerm_route_table: { noun: "Route Table", path: `${network}/routeTables/{name}` },
  azurerm_storage_account: {
    noun: "Storage Account",
    path: `${inGroup}/Microsoft.Storage/storageAccounts/{name}`,
    forceNew: ["account_tier", "is_hns_enabled"],
    takes: { create: 60, update: 30, delete: 30 },
  },
  azurerm_storage_container: { noun: "Container", path: "{storage_account_id}/blobServices/default/containers/{name}" },
  azurerm_storage_management_policy: {
    noun: "Storage Account Management Policy",
    path: "{storage_account_id}/managementPolicies/default",
  },
  azurerm_subnet: {
    noun: "Subnet",
    path: `${network}/virtualNetworks/{virtual_network_name}/subnets/{name}`,
    takes: { create: 5, update: 2, delete: 2 },
  },
  azurerm_subnet_nat_gateway_association: { noun: "Subnet NAT Gateway Association", path: "{subnet_id}" },
  azurerm_subnet_network_security_group_association: { noun: "Subnet Network Security Group Association", path: "{subnet_id}" },
  azurerm_subnet_route_table_association: { noun: "Subnet Route Table Association", path: "{subnet_id}" },
  azurerm_virtual_network: {
    noun: "Virtual Network",
    path: `${network}/virtualNetworks/{name}`,
    takes: { create: 5, update: 2, delete: 2 },
    compute: ({ id }) => ({ guid: guid(id) }),
  },
};

/** Creates the hooks of every resource type that the Azure simulator supports. */
export function createResources(
  schema: ProviderSchema,
  describeApi: DescribeClusterApi | undefined,
): Readonly<Record<string, ResourceHooks>> {
  const resources: AzureResources = {
    ...others,
    ...createClusters(describeApi),
    ...nodePools,
    ...identities,
    ...roleAssignments,
    ...vaults,
  };
  return Object.fromEntries(
    Object.entries(schema.resources).flatMap(([type, one]) =>
      resources[type] === undefined ? [] : [[type, createHooks(type, resources, one)] as const],
    ),
  );
}

async function checkEmpty(id: string, context: HookContext): Promise<readonly Refusal[]> {
  const features = context.provider["features"];
  const isAllowed = JSON.stringify(isMap(features) ? [features] : (features ?? [])).includes(
    '"prevent_deletion_if_contains_resources":false',
  );
  const left = isAllowed ? [] : (await context.list()).filter((record) => record.id.startsWith(`${id}/`));
  if (left.length === 0) return [];
  const message = `the Resource Group still contains Resources: ${left.map((record) => record.id).join(", ")}`;
  return [{ code: "ResourceGroupNotEmpty", message, status: 409 }];
}
