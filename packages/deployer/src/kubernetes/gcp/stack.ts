import { Fault } from "@cloudwright/platform";
import { pickOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import type { Stack } from "../../stack.ts";
import { createPoolOf } from "../pool-of.ts";
import { refuseForeign } from "./desired.ts";
import { findUntaggedPart } from "./find-untagged.ts";
import { isScaled, observeCluster } from "./observe.ts";
import { describeGcpChange } from "./preview.ts";
import { renderVariables } from "./variables.ts";

const fields = {
  cluster_name: "text",
  cluster_id: "text",
  project: "text",
  region: "text",
  location: "text",
  network_id: "text",
  worker_subnet_ids: "texts",
  endpoint: "text",
  dns_endpoint: "text",
  certificate_authority: "text",
  version: "text",
  master_version: "text",
  upgraded_by_cloud: "truth",
  workload_pool: "text",
  kms_key: "text",
  node_service_account: "text",
  node_group_names: "texts",
  ready_nodes: "number",
  choices: "object",
} as const;

/** A GKE cluster with one GKE node pool for each node pool and zone. */
export const gcpKubernetes: Stack<"Cluster"> = {
  service: "cluster",
  folder: "kubernetes",
  cloud: "gcp",
  variables(entity, account, around) {
    refuseForeign(entity, around.nodePools);
    return renderVariables(entity, account, around);
  },
  observe: (entity, around, cloud) => observeCluster(entity, around, cloud),
  isChangedByOthers: isScaled,
  removalVariables(entity, around) {
    const { region } = getNetwork(entity, around);
    return {
      cluster_name: entity.name,
      region,
      zones: [`${region}-b`],
      network_id: "projects/none/global/networks/none",
      subnet_id: `projects/none/regions/${region}/subnetworks/none`,
      owner: { project: entity.project, entity: entity.uid },
    };
  },
  environment: () => ({}),
  describeChange: describeGcpChange,
  poolOf: createPoolOf(["google_container_node_pool"]),
  status(outputs) {
    const { values, problems } = pickOutputs(outputs, fields);
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the outputs of the cluster's configuration are invalid: ${said}`);
    }
    return values;
  },
  findUntagged: ({ type, names }, tagged, declares) => findUntaggedPart(type, names, tagged, declares),
};
