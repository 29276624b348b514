import { Fault } from "@cloudwright/platform";
import { patienceWith } from "../access/patience.ts";
import type { ClusterDeps } from "../access/reach-cluster.ts";
import { deployerFaults } from "../faults.ts";
import { textOf } from "../read-spec.ts";
import { destroyStack } from "../run/destroy.ts";
import type { Run, Subject } from "../run/open-run.ts";
import type { DeployerOutcome, DeployerTask, JsonObject } from "../task.ts";
import { removeLeftovers } from "./remove-leftovers.ts";
import { sweepCluster } from "./sweep-cluster.ts";

/** Removes what was built for an entity. A cluster is cleared before, and what it has left in its cloud all the same is removed afterwards. */
export async function destroyEntity(
  task: DeployerTask,
  subject: Subject,
  run: Run,
  deps: Pick<ClusterDeps, "patience" | "clock">,
): Promise<JsonObject> {
  if (subject.stack.service !== "cluster") return destroyStack(task, subject, run);
  const options = { ...patienceWith(subject.account, deps.patience), ...(deps.clock === undefined ? {} : { clock: deps.clock }) };
  await sweepCluster(run.cloud, task, options);
  const outputs = await destroyStack(task, subject, run);
  const cluster = textOf(task.payload.outputs["cluster_name"]);
  const left = cluster === "" ? [] : await removeLeftovers(run.cloud, task, cluster, options);
  if (left.length === 0) return outputs;
  const said = left.slice(0, 3).map(({ what, why }) => `${what}: ${why}`);
  const message = `${left.length} of what the cluster has made in its cloud could not be removed: ${said.join("; ")}`;
  throw new Fault(deployerFaults.leftovers, message, { fields: left.map(({ what, why }) => ({ field: what, message: why })) });
}

/** The outcome of a task that has left something, item by item; undefined for every other error. */
export function findLeftovers(error: unknown): DeployerOutcome | undefined {
  if (!(error instanceof Fault) || error.code !== deployerFaults.leftovers.code) return undefined;
  const { code, message, help, fields } = error;
  const left = fields.map(({ field, message: why }) => `${field}: ${why}`);
  return { outcome: "failed", fault: { code, message, help, permanent: false, left } };
}
