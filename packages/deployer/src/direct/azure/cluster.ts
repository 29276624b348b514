import type { Blueprint } from "../../executor/in-process/blueprint.ts";
import { observeCluster } from "../../kubernetes/azure/observe.ts";
import { describeAzureChange } from "../../kubernetes/azure/preview.ts";
import { drainPool } from "../drain-pool.ts";
import { openTypes } from "../open-types.ts";
import { listDesired } from "./desired-resources.ts";
import { isScaledPool } from "./is-scaled-pool.ts";
import { configuration, poolNameOf } from "./names.ts";
import { renderOutputs } from "./outputs.ts";
import { refuseUnsupported } from "./refuse-unsupported.ts";

// Each type comes before the types that refer to it.
const types = [
  "azurerm_resource_group",
  "azurerm_user_assigned_identity",
  "azurerm_role_assignment",
  "azurerm_kubernetes_cluster",
  "azurerm_kubernetes_cluster_node_pool",
];

/**
 * An AKS cluster with a system pool and one agent pool for each additional node pool, built without Terraform. Resource types, attributes
 * and outputs have the same names as in the Terraform configuration, so that policies, previews and everything else that uses a cluster
 * work with both.
 */
export const azureClusterBlueprint: Blueprint<"Cluster"> = {
  service: "cluster",
  cloud: "azure",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, types),
  observe: async (entity, around, { openCloud }) => observeCluster(entity, around, await openCloud(), configuration),
  resources(entity, account, around) {
    refuseUnsupported(entity, around);
    return listDesired(entity, account, around);
  },
  outputs: renderOutputs,
  describeChange: describeAzureChange,
  isChangedByOthers: isScaledPool,
  poolOf: ({ type, name }) => (type === "azurerm_kubernetes_cluster_node_pool" ? name : undefined),
  async beforeDelete({ type, name }, cloud, work) {
    // Pools are not drained if the whole cluster is deleted, because its workloads are deleted with it.
    if (type !== "azurerm_kubernetes_cluster_node_pool" || work.isRemoval) return;
    await drainPool({ pool: name, nodeLabels: `kubernetes.azure.com/agentpool=${poolNameOf(name)}` }, cloud, work);
  },
};
