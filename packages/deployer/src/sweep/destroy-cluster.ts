import { patienceWith } from "../access/patience.ts";
import type { ClusterDeps } from "../access/reach-cluster.ts";
import type { Executor, ExecutorWork } from "../executor/executor.ts";
import { deployerFaults } from "../faults.ts";
import { textOf } from "../read-spec.ts";
import { requireEntity, type DeployerOutcome } from "../task.ts";
import { announceRemoval } from "./announce-removal.ts";
import { previewRemoval } from "./preview-removal.ts";
import { removeLeftovers } from "./remove-leftovers.ts";
import { sweepCluster } from "./sweep-cluster.ts";

/**
 * Reports what will be removed and kept, then deletes the resources that the cluster's workloads created, then the cluster, then any
 * leftover resources.
 */
export async function destroyCluster(
  deps: Pick<ClusterDeps, "patience" | "clock">,
  {
    task,
    account,
    session,
    executor,
  }: Omit<ExecutorWork, "action"> & { readonly executor: Pick<Executor, "destroy" | "listResources"> },
): Promise<DeployerOutcome> {
  const options = { ...patienceWith(account, deps.patience), ...(deps.clock === undefined ? {} : { clock: deps.clock }) };
  let knowsRetained = false;
  await executor.destroy(async () => {
    await announceRemoval(task, async () => {
      const stored = await executor.listResources?.();
      const { forgotten } = await session.openEndpoint();
      return previewRemoval(await session.openCloud(), task, { ...options, stored, forgotten });
    });
    ({ knowsRetained } = await sweepCluster(await session.openCloud(), task, options));
  });
  const cluster = textOf(task.payload.outputs["cluster_name"]);
  // If the user chose to delete all volumes, they are deleted even if the cluster could not be reached.
  const choice = requireEntity(task, "Cluster").spec.claimVolumes;
  const deletesAll = choice === "delete";
  const left =
    cluster === ""
      ? []
      : await removeLeftovers(await session.openCloud(), task, cluster, {
          ...options,
          spareVolumes: choice === "retain" || (!knowsRetained && !deletesAll),
        });
  if (left.length === 0) return { outcome: "done", outputs: {} };
  const { code, help } = deployerFaults.leftovers;
  const message = `leftover resources of the cluster that could not be removed (${left.length}): ${left.slice(0, 3).join("; ")}`;
  return { outcome: "failed", fault: { code, message, help, permanent: false, left } };
}
