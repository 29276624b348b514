import { patienceWith } from "../access/patience.ts";
import type { ClusterDeps } from "../access/reach-cluster.ts";
import { deployerFaults } from "../faults.ts";
import { textOf } from "../read-spec.ts";
import { destroyStack } from "../executor/terraform/destroy.ts";
import type { Run, Subject } from "../executor/terraform/open-run.ts";
import type { DeployerOutcome, DeployerTask } from "../task.ts";
import { removeLeftovers } from "./remove-leftovers.ts";
import { sweepCluster } from "./sweep-cluster.ts";

/** Clears a cluster, removes it, and then what it has left in its cloud all the same. */
export async function destroyCluster(
  deps: Pick<ClusterDeps, "patience" | "clock">,
  task: DeployerTask,
  subject: Subject,
  run: Run,
): Promise<DeployerOutcome> {
  const options = { ...patienceWith(subject.account, deps.patience), ...(deps.clock === undefined ? {} : { clock: deps.clock }) };
  const { knowsRetained } = await sweepCluster(run.cloud, task, options);
  const outputs = await destroyStack(task, subject, run);
  const cluster = textOf(task.payload.outputs["cluster_name"]);
  const left =
    cluster === "" ? [] : await removeLeftovers(run.cloud, task, cluster, { ...options, spareVolumes: !knowsRetained });
  if (left.length === 0) return { outcome: "done", outputs };
  const { code, help } = deployerFaults.leftovers;
  const message = `${left.length} of what the cluster has made in its cloud could not be removed: ${left.slice(0, 3).join("; ")}`;
  return { outcome: "failed", fault: { code, message, help, permanent: false, left } };
}
