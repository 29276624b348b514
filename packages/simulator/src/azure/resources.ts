import type { DescribeClusterApi } from "../cloud/cluster-api.ts";
import type { ResourceHooks } from "../provider/definition.ts";
import type { ProviderSchema } from "../schema/schema.ts";
import { createClusters } from "./aks/clusters.ts";
import { nodePools } from "./aks/node-pools.ts";
import { machines } from "./compute/machines.ts";
import { createHooks } from "./create-hooks.ts";
import { groups } from "./groups.ts";
import { identities } from "./identity/identities.ts";
import { roleAssignments } from "./identity/role-assignments.ts";
import { vaults } from "./key-vault/vaults.ts";
import { addresses } from "./network/addresses.ts";
import { applicationGroups } from "./network/application-groups.ts";
import { associations } from "./network/associations.ts";
import { interfaces } from "./network/interfaces.ts";
import { privateDns } from "./network/private-dns.ts";
import { routes } from "./network/routes.ts";
import { securityGroups } from "./network/security-groups.ts";
import { virtualNetworks } from "./network/virtual-networks.ts";
import { inGroup, type AzureResources } from "./resource.ts";
import { accounts } from "./storage/accounts.ts";
import { disks } from "./storage/disks.ts";

const compute = `${inGroup}/Microsoft.Compute`;

const others: AzureResources = {
  azurerm_disk_encryption_set: { noun: "Disk Encryption Set", path: `${compute}/diskEncryptionSets/{name}` },
  azurerm_log_analytics_workspace: {
    noun: "Workspace",
    path: `${inGroup}/Microsoft.OperationalInsights/workspaces/{name}`,
    takes: { create: 30, update: 15, delete: 15 },
  },
};

/** Creates the hooks of every resource type that the Azure simulator supports. */
export function createResources(
  schema: ProviderSchema,
  describeApi: DescribeClusterApi | undefined,
): Readonly<Record<string, ResourceHooks>> {
  const resources: AzureResources = {
    ...others,
    ...groups,
    ...virtualNetworks,
    ...addresses,
    ...associations,
    ...securityGroups,
    ...applicationGroups,
    ...routes,
    ...privateDns,
    ...accounts,
    ...disks,
    ...machines,
    ...interfaces,
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
