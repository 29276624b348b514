import type { Blueprint } from "../../executor/in-process/blueprint.ts";
import { observeCluster } from "../../kubernetes/gcp/observe.ts";
import { describeGcpChange } from "../../kubernetes/gcp/preview.ts";
import { requireEntity, type DeployerTask } from "../../task.ts";
import { drainPool } from "../drain-pool.ts";
import { openTypes } from "../open-types.ts";
import { listDesired } from "./desired-resources.ts";
import { isScaledPool } from "./is-scaled-pool.ts";
import { renderOutputs } from "./outputs.ts";
import { refuseUnsupported } from "./refuse-unsupported.ts";
import { defaultPool, poolLabel, poolOf } from "./zonal-pools.ts";

// Each type comes before the types that refer to it.
const types = ["google_container_cluster", "google_container_node_pool"];

/**
 * A GKE cluster with one GKE node pool for each node pool and zone, built without Terraform. Resource types, attributes and outputs have
 * the same names as in the Terraform configuration, so that policies, previews and everything else that uses a cluster work with both.
 */
export const gcpClusterBlueprint: Blueprint<"Cluster"> = {
  service: "cluster",
  cloud: "gcp",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, types),
  observe: async (entity, around, { openCloud }) => observeCluster(entity, around, await openCloud()),
  resources(entity, account, around) {
    refuseUnsupported(entity, around.nodePools);
    return listDesired(entity, account, around);
  },
  outputs: renderOutputs,
  describeChange: describeGcpChange,
  isChangedByOthers: isScaledPool,
  poolOf: ({ type, name }) => (type === "google_container_node_pool" ? poolOf(name) : undefined),
  async beforeDelete({ type, name, id }, cloud, work) {
    // Pools are not drained if the whole cluster is deleted, because its workloads are deleted with it.
    if (type !== "google_container_node_pool" || work.isRemoval) return;
    const pool = poolOf(name);
    const isKept = hasPool(work.task, pool);
    // If the whole pool is deleted, its nodes in all zones are drained together. If they were drained one zone at a time, evicted pods
    // would move to nodes that are drained next.
    const nodeLabels = isKept ? `cloud.google.com/gke-nodepool=${id.split("/").at(-1) ?? ""}` : `${poolLabel}=${pool}`;
    await drainPool({ pool, nodeLabels }, cloud, work);
  },
};

/** Returns whether the desired cluster still contains this pool. */
function hasPool(task: DeployerTask, pool: string): boolean {
  const { nodePools } = task.payload;
  if (pool !== defaultPool) return nodePools.some(({ name }) => name === pool);
  return nodePools.length === 0 || requireEntity(task, "Cluster").spec.workers !== undefined;
}
