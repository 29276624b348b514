import type { ArmStore, Resource } from "./arm-store.ts";
import { guid, tenant } from "./identity-types.ts";

/** The only subscription of the local Azure server. */
export const subscription = "00000000-0000-0000-0000-000000000001";
export const region = "westeurope";
export const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };

const groupId = `/subscriptions/${subscription}/resourceGroups/existing`;
/** Returns the id of a resource in the predefined resource group `existing`. */
export const idOf = (type: string, name: string): string => `${groupId}/providers/${type}/${name}`;
export const network = idOf("Microsoft.Network/virtualNetworks", "existing");
export const subnets = {
  nodes: `${network}/subnets/nodes`,
  pods: `${network}/subnets/pods`,
  apiServer: `${network}/subnets/api-server`,
};
export const given = {
  dnsZone: idOf("Microsoft.Network/privateDnsZones", `a.privatelink.${region}.azmk8s.io`),
  clusterIdentity: idOf("Microsoft.ManagedIdentity/userAssignedIdentities", "Cluster"),
  kubeletIdentity: idOf("Microsoft.ManagedIdentity/userAssignedIdentities", "Kubelet"),
  vault: idOf("Microsoft.KeyVault/vaults", "existing-keys"),
  key: `https://existing-keys.vault.azure.net/keys/secrets/${"0".repeat(32)}`,
  registry: idOf("Microsoft.ContainerRegistry/registries", "images"),
  workspace: idOf("Microsoft.OperationalInsights/workspaces", "logs"),
  diskEncryptionSet: idOf("Microsoft.Compute/diskEncryptionSets", "disks"),
};

/** Creates resources that do not belong to the platform. Cases refer to them and must not change them. */
export function seedFixtures(store: ArmStore): void {
  const put = (id: string, properties: object, more: Partial<Resource> = {}): void =>
    store.put({ id, name: id.split("/").at(-1) ?? "", type: "", location: region, tags: {}, properties, ...more });
  put(groupId, { provisioningState: "Succeeded" });
  put(network, { provisioningState: "Succeeded", addressSpace: { addressPrefixes: ["10.1.0.0/16"] } });
  const gateway = idOf("Microsoft.Network/natGateways", "existing");
  const routes = idOf("Microsoft.Network/routeTables", "existing");
  put(gateway, { provisioningState: "Succeeded" }, { sku: { name: "Standard" } });
  put(routes, { provisioningState: "Succeeded" });
  for (const [index, id] of Object.values(subnets).entries()) {
    put(id, {
      provisioningState: "Succeeded",
      addressPrefix: `10.1.${index * 16}.0/20`,
      delegations: [],
      privateEndpointNetworkPolicies: "Disabled",
      privateLinkServiceNetworkPolicies: "Enabled",
      defaultOutboundAccess: true,
      ...(index < 2 ? { natGateway: { id: gateway }, routeTable: { id: routes } } : {}),
    });
  }
  put(given.dnsZone, {});
  for (const id of [given.clusterIdentity, given.kubeletIdentity]) {
    const principalId = guid(`principal ${id.toLowerCase()}`);
    put(id, { principalId, clientId: guid(`client ${id.toLowerCase()}`), tenantId: tenant });
  }
  const vault = {
    vaultUri: "https://existing-keys.vault.azure.net/",
    tenantId: tenant,
    enableRbacAuthorization: true,
    enableSoftDelete: true,
    enablePurgeProtection: true,
    accessPolicies: [],
  };
  put(given.vault, { ...vault, sku: { family: "A", name: "standard" } });
  put(`${given.vault}/providers/Microsoft.Authorization/roleAssignments/${guid("role")}`, {
    principalId: guid(`principal ${given.clusterIdentity.toLowerCase()}`),
    scope: given.vault,
    roleDefinitionId: "x",
  });
  put(given.diskEncryptionSet, { encryptionType: "EncryptionAtRestWithCustomerKey" });
  for (const id of [given.registry, given.workspace]) put(id, {});
}
