import { Fault } from "@cloudwright/platform";
import { compareVersions, pickOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import type { Stack } from "../../stack.ts";
import { createPoolOf } from "../pool-of.ts";
import { refuseCurrent, refuseForeign } from "./desired.ts";
import { findUntaggedPart } from "./find-untagged.ts";
import { systemPool } from "./node-pools.ts";
import { isOwnedByAks, observeCluster } from "./observe.ts";
import { describeAzureChange } from "./preview.ts";
import { renderAzureVariables, renderCurrentVariables } from "./variables.ts";

const fields = {
  cluster_name: "text",
  cluster_id: "text",
  region: "text",
  resource_group_name: "text",
  node_resource_group: "text",
  worker_subnet_ids: "texts",
  endpoint: "text",
  certificate_authority: "text",
  version: "text",
  upgraded_by_cloud: "truth",
  oidc_issuer: "text",
  key_vault_key_id: "text",
  cluster_identity_id: "text",
  kubelet_identity_id: "text",
  has_entra: "truth",
  pod_cidr: "text",
  service_cidr: "text",
  addon_versions: "object",
  node_group_names: "texts",
  ready_nodes: "number",
  choices: "object",
} as const;

/** An AKS cluster with a system pool and one AKS pool for each additional node pool. */
export const azureKubernetes: Stack<"Cluster"> = {
  service: "cluster",
  folder: "kubernetes",
  cloud: "azure",
  variables(entity, account, around, version) {
    refuseForeign(entity);
    if (compareVersions(version.slice(1), "1.1.0") >= 0) return renderCurrentVariables(entity, account, around, version);
    refuseCurrent(entity, version);
    return renderAzureVariables(entity, account, around, version);
  },
  observe: (entity, around, cloud, version) => observeCluster(entity, around, cloud, version),
  isChangedByOthers: isOwnedByAks,
  removalVariables(entity, around) {
    const network = "/subscriptions/0/resourceGroups/0/providers/Microsoft.Network/virtualNetworks/0";
    return {
      cluster_name: entity.name,
      region: getNetwork(entity, around).region,
      node_subnet_id: `${network}/subnets/0`,
      node_pools: { [systemPool]: { instance_type: "Standard_D2s_v5", min: 1, desired: 1, max: 1 } },
      owner: { project: entity.project, entity: entity.uid },
    };
  },
  environment: () => ({}),
  describeChange: describeAzureChange,
  poolOf: createPoolOf(["azurerm_kubernetes_cluster_node_pool"]),
  status(outputs) {
    const { values, problems } = pickOutputs(outputs, fields);
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the outputs of the cluster's configuration are invalid: ${said}`);
    }
    return values;
  },
  findUntagged: ({ type, names }, _tagged, _declares, entity) => findUntaggedPart(type, names, entity),
};
