import { ownerTag, partTag } from "../account-view.ts";
import type { OwnedResource } from "../cloud-provider.ts";
import type { AzureApi } from "./api.ts";
import type {
  AgentPool,
  BlobContainer,
  GenericResource,
  ManagedCluster,
  NatGateway,
  NetworkSecurityGroup,
  ResourceGroup,
  RoleAssignment,
  RouteTable,
  SubResource,
  VaultKey,
  VirtualNetwork,
} from "./models.ts";
import { operations } from "./operations.ts";
import { readMarker, sharedTag } from "./parts/shared-rules.ts";
import { groupOf, nameOf, readResource, spellGroup } from "./resource-ids.ts";

/**
 * Lists all resources with the entity's ownership tag, and the resources inside them that cannot have tags. Omits the resources in a
 * cluster's node resource group, because AKS copies the cluster's tags to them and deletes them with the cluster.
 */
export async function listOwnedResources(api: AzureApi, uid: string): Promise<readonly OwnedResource[]> {
  const query = { $filter: `tagName eq '${ownerTag}' and tagValue eq '${uid.replaceAll("'", "''")}'` };
  const [groups, tagged, clusters, roles] = await Promise.all([
    api.list<ResourceGroup>("list the resource groups", operations.listGroups, { query }),
    api.list<GenericResource>("list tagged resources", operations.listResources, { query }),
    api.list<ManagedCluster>("list the clusters", operations.listClusters),
    listRoles(api, uid),
  ]);
  const managed = new Set([
    ...groups.flatMap(({ name = "", managedBy }) => (managedBy ? [name.toLowerCase()] : [])),
    ...clusters.map(({ properties }) => (properties?.nodeResourceGroup ?? "").toLowerCase()),
  ]);
  const owners = new Map(tagged.map(({ id = "", managedBy = "" }) => [id.toLowerCase(), managedBy]));
  const own = tagged
    .filter(({ id = "", managedBy = "" }) => !managed.has(groupOf(id)) && !/\/managedClusters\//i.test(managedBy))
    .flatMap(({ id = "", type = "", tags }): OwnedResource[] => {
      const known = readResource(type, id);
      return known === undefined ? [] : [{ ...known, names: [], ...partOf(tags) }];
    });
  const ownGroups = groups.flatMap(({ id = "", managedBy, name = "", tags }): OwnedResource[] =>
    managedBy || managed.has(name.toLowerCase())
      ? []
      : [{ type: "azurerm_resource_group", id: spellGroup(id), names: [name], ...partOf(tags) }],
  );
  const inside = await Promise.all(
    own.map(
      async ({ type, id }) => (await insides[type]?.(api, id, { uid, managedBy: owners.get(id.toLowerCase()) ?? "" })) ?? [],
    ),
  );
  return [...ownGroups, ...own, ...roles, ...inside.flat()];
}

/** Functions that read the untagged resources inside a resource, keyed by the resource's Terraform type. */
const insides: Readonly<
  Record<
    string,
    (
      api: AzureApi,
      id: string,
      owner: { readonly uid: string; readonly managedBy: string },
    ) => readonly OwnedResource[] | Promise<readonly OwnedResource[]>
  >
> = {
  /** A disk's attachment is part of the machine that it is attached to. */
  azurerm_managed_disk(_api, resourceId, { managedBy }) {
    const machine = /\/virtualMachines\/[^/]+$/i.test(managedBy)
      ? readResource("Microsoft.Compute/virtualMachines", managedBy)
      : undefined;
    if (machine === undefined) return [];
    const id = `${machine.id}/dataDisks/${nameOf(resourceId)}`;
    return [{ type: "azurerm_virtual_machine_data_disk_attachment", id, names: [resourceId, machine.id] }];
  },
  /** The rules of a security group are in a network security group that several entities share. */
  async azurerm_application_security_group(api, _resourceId, { uid }) {
    const query = { $filter: `tagName eq '${sharedTag}'` };
    const all = await api.list<GenericResource>("list the shared security groups", operations.listResources, { query });
    const found = await Promise.all(
      all.map(async ({ id = "", type = "" }): Promise<OwnedResource[]> => {
        const shared = readResource(type, id);
        if (shared === undefined) return [];
        const path = { resourceId: shared.id };
        const group = await api.find<NetworkSecurityGroup>("read a security group", operations.getNetworkResource, { path });
        return (group?.properties?.securityRules ?? []).flatMap(({ id: rule = "" }): OwnedResource[] => {
          if (readMarker(nameOf(rule))?.uid !== uid.toLowerCase()) return [];
          const own = `${shared.id}/securityRules/${nameOf(rule)}`;
          return [{ type: shared.type, id: own, names: [own, shared.id] }];
        });
      }),
    );
    return found.flat();
  },
  async azurerm_virtual_network(api, resourceId) {
    const path = { resourceId };
    const found = await api.find<VirtualNetwork>("read a virtual network", operations.getNetworkResource, { path });
    return (found?.properties?.subnets ?? []).flatMap(({ id = "", properties }): OwnedResource[] => {
      const subnet = `${resourceId}/subnets/${nameOf(id)}`;
      const { networkSecurityGroup, routeTable, natGateway } = properties ?? {};
      const tie = (type: string, other: SubResource | undefined): OwnedResource[] =>
        other?.id === undefined ? [] : [{ type, id: subnet, names: [subnet, other.id] }];
      return [
        { type: "azurerm_subnet", id: subnet, names: [subnet, resourceId] },
        ...tie("azurerm_subnet_network_security_group_association", networkSecurityGroup),
        ...tie("azurerm_subnet_route_table_association", routeTable),
        ...tie("azurerm_subnet_nat_gateway_association", natGateway),
      ];
    });
  },
  async azurerm_network_security_group(api, resourceId) {
    const path = { resourceId };
    const found = await api.find<NetworkSecurityGroup>("read a security group", operations.getNetworkResource, { path });
    return listParts("azurerm_network_security_rule", `${resourceId}/securityRules`, found?.properties?.securityRules);
  },
  async azurerm_route_table(api, resourceId) {
    const found = await api.find<RouteTable>("read a route table", operations.getNetworkResource, { path: { resourceId } });
    return listParts("azurerm_route", `${resourceId}/routes`, found?.properties?.routes);
  },
  async azurerm_nat_gateway(api, resourceId) {
    const found = await api.find<NatGateway>("read a NAT gateway", operations.getNetworkResource, { path: { resourceId } });
    return (found?.properties?.publicIpAddresses ?? []).flatMap(({ id = "" }): OwnedResource[] => {
      const address = readResource("Microsoft.Network/publicIPAddresses", id)?.id ?? id;
      const type = "azurerm_nat_gateway_public_ip_association";
      return [{ type, id: `${resourceId}|${address}`, names: [resourceId, address] }];
    });
  },
  async azurerm_kubernetes_cluster(api, resourceId) {
    const path = { resourceGroupName: groupOf(resourceId), resourceName: nameOf(resourceId) };
    const pools = await api.list<AgentPool>("list the node pools", operations.listPools, { path });
    return pools.map(({ name = "", properties }) => ({
      type: "azurerm_kubernetes_cluster_node_pool",
      id: `${resourceId}/agentPools/${name}`,
      names: [resourceId, name],
      ...partOf(properties?.tags),
    }));
  },
  async azurerm_user_assigned_identity(api, resourceId) {
    const path = { resourceId };
    const found = await api.list<SubResource>("list federated credentials", operations.listFederatedCredentials, { path });
    return listParts("azurerm_federated_identity_credential", `${resourceId}/federatedIdentityCredentials`, found);
  },
  async azurerm_storage_account(api, resourceId) {
    const path = { resourceId };
    const [containers, policy] = await Promise.all([
      api.list<BlobContainer>("list the containers", operations.listContainers, { path }),
      api.find<SubResource>("read a lifecycle policy", operations.getManagementPolicy, {
        path: { ...path, policyName: "default" },
      }),
    ]);
    const folder = `${resourceId}/blobServices/default/containers`;
    const locked = containers.filter(({ properties }) => properties?.hasImmutabilityPolicy === true);
    return [
      ...listParts("azurerm_storage_container", folder, containers),
      ...locked.flatMap(({ id = "" }) =>
        listParts("azurerm_storage_container_immutability_policy", `${folder}/${nameOf(id)}/immutabilityPolicies`, [defaultPart]),
      ),
      ...(policy === undefined
        ? []
        : listParts("azurerm_storage_management_policy", `${resourceId}/managementPolicies`, [defaultPart])),
    ];
  },
  async azurerm_key_vault(api, resourceId) {
    const keys = await api.list<VaultKey>("list the keys of a vault", operations.listKeys, { path: { resourceId } });
    const found = await Promise.all(
      keys.map(({ id = "" }) =>
        api.find<VaultKey>("read a key", operations.getKey, { path: { resourceId, keyName: nameOf(id) } }),
      ),
    );
    return found.flatMap((key): OwnedResource[] => {
      const id = key?.properties?.keyUriWithVersion;
      return id === undefined ? [] : [{ type: "azurerm_key_vault_key", id, names: [resourceId], ...partOf(key?.tags) }];
    });
  },
};

/** The policy of a storage account or container. Azure always names it `default`. */
const defaultPart: SubResource = { id: "default" };

/** Role assignments have no tags. Their description begins with the ownership information instead. */
async function listRoles(api: AzureApi, uid: string): Promise<readonly OwnedResource[]> {
  const found = await api.list<RoleAssignment>("list role assignments", operations.listRoleAssignments);
  return found.flatMap(({ id, properties }): OwnedResource[] => {
    const { description, scope = "", principalId = "", roleDefinitionId = "" } = properties ?? {};
    if (id === undefined || description?.startsWith(`${ownerTag}=${uid} `) !== true) return [];
    return [{ type: "azurerm_role_assignment", id, names: [description, scope, principalId, roleDefinitionId] }];
  });
}

/** Describes resources that have no tags. `folder` is the path that contains them, for example a route table's id followed by `/routes`. */
function listParts(type: string, folder: string, parts: readonly SubResource[] = []): OwnedResource[] {
  return parts.flatMap(({ id }): OwnedResource[] => {
    if (id === undefined) return [];
    const own = `${folder}/${nameOf(id)}`;
    return [{ type, id: own, names: [own, folder.slice(0, folder.lastIndexOf("/"))] }];
  });
}

function partOf(tags: Readonly<Record<string, string>> | undefined): { readonly part?: string } {
  const part = tags?.[partTag];
  return part === undefined ? {} : { part };
}
