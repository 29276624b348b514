import { renderRoleBinding, type ExistingCloud, type Grantee } from "../existing-cloud.ts";

const cluster = "Microsoft.ContainerService/managedClusters";

export const existingAks: ExistingCloud = {
  types: { cluster: "azurerm_kubernetes_cluster", pool: "azurerm_kubernetes_cluster_node_pool" },
  scalesWithinLimits: true,
  actions: [`${cluster}/write`, `${cluster}/agentPools/write`, `${cluster}/agentPools/delete`],
  renderActionGrant: (grantee) => [renderAssignment(grantee, "Azure Kubernetes Service Contributor Role")],
  // The first role lets the identity request credentials. The second one applies to clusters with Azure RBAC.
  renderAccessGrant: (grantee) => [
    renderAssignment(grantee, "Azure Kubernetes Service Cluster User Role"),
    renderAssignment(grantee, "Azure Kubernetes Service RBAC Cluster Admin"),
  ],
  // Entra ID identities are Kubernetes users whose names are their object ids. An identity has the permissions from both Azure RBAC and
  // Kubernetes RBAC.
  renderRightGrant: ({ principal }, right) => renderRoleBinding(principal, right),
};

function renderAssignment({ id, principal }: Grantee, role: string): string {
  return `az role assignment create --assignee ${principal} --role "${role}" --scope ${id}`;
}
