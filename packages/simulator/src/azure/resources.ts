import { listRegions } from "../cloud/regions.ts";
import { listPathNames, renderPath } from "../cloud/render-path.ts";
import type { HookContext, Problem, ResourceHooks } from "../provider/definition.ts";
import { listBlanks, mergeValues } from "../schema/blank-values.ts";
import type { ProviderSchema } from "../schema/schema.ts";
import { textOf } from "../values/read-value.ts";
import { isMap, type ValueMap } from "../values/value.ts";
import { guid, subscriptionOf } from "./place.ts";
import { offeredVersions } from "./versions.ts";

interface AzureType {
  /** Template of the resource id. Changing an attribute that it contains replaces the resource. */
  readonly path: string;
  readonly forceNew?: readonly string[];
  /** Creation time in simulated seconds. */
  readonly takes?: number;
}

const group = "/subscriptions/{subscription_id}/resourceGroups/{resource_group_name}";
const network = `${group}/providers/Microsoft.Network`;
const types: Readonly<Record<string, AzureType>> = {
  azurerm_disk_encryption_set: { path: `${group}/providers/Microsoft.Compute/diskEncryptionSets/{name}` },
  azurerm_federated_identity_credential: { path: "{parent_id}/federatedIdentityCredentials/{name}" },
  azurerm_key_vault: { path: `${group}/providers/Microsoft.KeyVault/vaults/{name}`, takes: 60 },
  azurerm_key_vault_key: { path: "{key_vault_id}/keys/{name}", forceNew: ["key_type", "key_size"] },
  azurerm_kubernetes_cluster: {
    path: `${group}/providers/Microsoft.ContainerService/managedClusters/{name}`,
    forceNew: ["dns_prefix", "private_cluster_enabled", "node_resource_group"],
    takes: 240,
  },
  azurerm_kubernetes_cluster_node_pool: {
    path: "{kubernetes_cluster_id}/agentPools/{name}",
    forceNew: ["vm_size", "vnet_subnet_id", "os_disk_size_gb", "priority", "zones"],
    takes: 120,
  },
  azurerm_linux_virtual_machine: {
    path: `${group}/providers/Microsoft.Compute/virtualMachines/{name}`,
    forceNew: ["source_image_id", "zone"],
    takes: 45,
  },
  azurerm_log_analytics_workspace: { path: `${group}/providers/Microsoft.OperationalInsights/workspaces/{name}`, takes: 30 },
  azurerm_managed_disk: { path: `${group}/providers/Microsoft.Compute/disks/{name}`, forceNew: ["create_option", "zone"] },
  azurerm_nat_gateway: { path: `${network}/natGateways/{name}`, forceNew: ["sku_name", "zones"], takes: 10 },
  azurerm_nat_gateway_public_ip_association: { path: "{nat_gateway_id}|{public_ip_address_id}" },
  azurerm_network_interface: { path: `${network}/networkInterfaces/{name}` },
  azurerm_network_security_group: { path: `${network}/networkSecurityGroups/{name}` },
  azurerm_network_security_rule: { path: `${network}/networkSecurityGroups/{network_security_group_name}/securityRules/{name}` },
  azurerm_private_dns_zone: { path: `${network}/privateDnsZones/{name}`, takes: 30 },
  azurerm_public_ip: { path: `${network}/publicIPAddresses/{name}`, forceNew: ["sku", "zones", "ip_version"] },
  azurerm_resource_group: { path: "/subscriptions/{subscription_id}/resourceGroups/{name}", takes: 10 },
  azurerm_role_assignment: {
    path: "{scope}/providers/Microsoft.Authorization/roleAssignments/{made_up}",
    forceNew: ["scope", "principal_id", "role_definition_name", "role_definition_id"],
    takes: 25,
  },
  azurerm_route_table: { path: `${network}/routeTables/{name}` },
  azurerm_storage_account: {
    path: `${group}/providers/Microsoft.Storage/storageAccounts/{name}`,
    forceNew: ["account_tier", "is_hns_enabled"],
    takes: 60,
  },
  azurerm_storage_container: { path: "{storage_account_id}/blobServices/default/containers/{name}" },
  azurerm_subnet: { path: `${network}/virtualNetworks/{virtual_network_name}/subnets/{name}`, takes: 5 },
  azurerm_subnet_nat_gateway_association: { path: "{subnet_id}" },
  azurerm_subnet_network_security_group_association: { path: "{subnet_id}" },
  azurerm_subnet_route_table_association: { path: "{subnet_id}" },
  azurerm_user_assigned_identity: { path: `${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{name}` },
  azurerm_virtual_network: { path: `${network}/virtualNetworks/{name}`, takes: 5 },
};

/** Creates the hooks of every resource type that the Azure simulator supports. */
export function createResources(schema: ProviderSchema): Readonly<Record<string, ResourceHooks>> {
  return Object.fromEntries(Object.entries(types).map(([type, special]) => [type, createHooks(type, special, schema)]));
}

function createHooks(type: string, { path, forceNew = [], takes = 2 }: AzureType, schema: ProviderSchema): ResourceHooks {
  const block = schema.resources[type]?.block;
  const names = [...listPathNames(path), "location"].filter((name) => block?.attributes[name] !== undefined);
  return {
    forceNew: [...new Set([...names, ...forceNew])],
    takesMs: { create: takes * 1000, update: takes * 500, delete: takes * 500 },
    createId: (planned, context) =>
      renderPath(path, {
        ...planned,
        subscription_id: subscriptionOf(context),
        made_up: nameOf(planned),
      }),
    async check({ operation, id, planned }, context) {
      if (operation === "delete") return type === "azurerm_resource_group" ? checkEmpty(id, context) : [];
      if (operation === "create" && (await context.find({ type, id })) !== undefined) {
        const help = `to be managed via Terraform this resource needs to be imported into the State. Please see the resource documentation for "${type}" for more information.`;
        return [{ summary: `a resource with the ID "${id}" already exists - ${help}` }];
      }
      return [...checkLocation(planned ?? {}), ...(await checkGroup(planned ?? {}, type, context))];
    },
    compute({ id, planned }, context) {
      const usual = {
        tenant_id: guid(`tenant ${context.tenant}`),
        principal_id: guid(`principal ${id}`),
        client_id: guid(`client ${id}`),
        guid: guid(id),
        resource_guid: guid(id),
        ip_address: "203.0.113.20",
        ...(type === "azurerm_kubernetes_cluster" ? describeCluster(planned ?? {}) : {}),
      };
      return mergeValues(block === undefined ? {} : listBlanks(block, planned ?? {}), usual) as ValueMap;
    },
    async listFollowers({ id }, context) {
      return (await context.list()).filter((record) => record.id.startsWith(`${id}/`) || record.id.startsWith(`${id}|`));
    },
  };
}

function describeCluster(planned: ValueMap): ValueMap {
  const prefix = typeof planned["dns_prefix"] === "string" ? planned["dns_prefix"] : "aks";
  const host = `${prefix}-${guid(prefix).slice(0, 8)}.hcp.${textOf(planned["location"])}.azmk8s.io`;
  return { fqdn: host, kubernetes_version: offeredVersions[1] ?? "", current_kubernetes_version: offeredVersions[1] ?? "" };
}

function checkLocation({ location }: ValueMap): readonly Problem[] {
  if (typeof location !== "string") return [];
  const name = location.toLowerCase().replaceAll(" ", "");
  if (listRegions("azure").includes(name)) return [];
  const message = `The provided location '${location}' is not available for resource type.`;
  return [
    {
      summary: `unexpected status 400 (400 Bad Request) with error: LocationNotAvailableForResourceType: ${message}`,
      path: ["location"],
    },
  ];
}

async function checkGroup(planned: ValueMap, type: string, context: HookContext): Promise<readonly Problem[]> {
  const name = planned["resource_group_name"];
  if (typeof name !== "string" || type === "azurerm_resource_group") return [];
  const id = `/subscriptions/${subscriptionOf(context)}/resourceGroups/${name}`;
  if ((await context.find({ type: "azurerm_resource_group", id })) !== undefined) return [];
  const message = `Resource group '${name}' could not be found.`;
  return [
    {
      summary: `unexpected status 404 (404 Not Found) with error: ResourceGroupNotFound: ${message}`,
      path: ["resource_group_name"],
    },
  ];
}

async function checkEmpty(id: string, context: HookContext): Promise<readonly Problem[]> {
  const features = context.provider["features"];
  const isAllowed = JSON.stringify(isMap(features) ? [features] : (features ?? [])).includes(
    '"prevent_deletion_if_contains_resources":false',
  );
  const left = isAllowed ? [] : (await context.list()).filter((record) => record.id.startsWith(`${id}/`));
  if (left.length === 0) return [];
  return [
    {
      summary: `deleting Resource Group "${id.split("/").at(-1) ?? ""}": the Resource Group still contains Resources.`,
      detail: left.map((record) => record.id).join("\n"),
    },
  ];
}

/** Derives the name of a role assignment that the user did not name. Azure generates a UUID in this case. */
function nameOf({ scope, principal_id, role_definition_name, role_definition_id }: ValueMap): string {
  return guid([scope, principal_id, role_definition_name, role_definition_id].map(String).join(" "));
}
