import { ownerTag, type CloudLibrary, type ClusterInfo, type NodePoolInfo } from "@cloudwright/clouds";
import type { ExistingCluster } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { Fault } from "@cloudwright/platform";
import { createCallBudget } from "../direct/call-budget.ts";
import { chooseParallelism } from "../direct/choose-parallelism.ts";
import type { ExecutorWork } from "../executor/executor.ts";
import { deployerFaults } from "../faults.ts";
import { requireEntity, type DeployerTask } from "../task.ts";

/** Returns the part of the spec that identifies the cluster. Throws if the platform created the cluster itself. */
export function requireExisting(task: Pick<DeployerTask, "payload">): ExistingCluster {
  const { name, spec } = requireEntity(task, "Cluster");
  if (spec.existing !== undefined) return spec.existing;
  throw new Fault(
    deployerFaults.bad_spec,
    `cluster "${name}" was created by the platform; this action applies only to existing clusters, which have spec.existing`,
  );
}

/** Opens the client library for the account's cloud. Its calls count against the account's budget. */
export async function openLibrary({
  task,
  account,
  session,
}: Pick<ExecutorWork, "task" | "account" | "session">): Promise<CloudLibrary> {
  const { openLibrary: open } = await session.openCloud();
  if (open !== undefined) return open({ budget: createCallBudget(chooseParallelism(task.payload)) });
  const message = `clusters that the platform did not create cannot be read in the account "${account.name}" yet`;
  throw new Fault(deployerFaults.not_supported, message);
}

/** Returns the uid of the entity that created a cluster or pool, or undefined if no entity of the platform created it. */
export function findOwner({ tags }: Pick<ClusterInfo | NodePoolInfo, "tags">): string | undefined {
  return tags[ownerTag] || undefined;
}

/** Reads the cluster with its pools. Throws if the cluster does not exist, or if an entity of the platform created it. */
export async function readCluster(library: CloudLibrary, task: DeployerTask): Promise<ClusterInfo> {
  const { id } = requireExisting(task);
  const found = await library.clusters.find(id, { signal: task.signal });
  if (found === undefined) throw new Fault(deployerFaults.existing_gone, `the cluster ${id} does not exist in the account`);
  const owner = findOwner(found);
  if (owner === undefined) return found;
  throw new Fault(deployerFaults.existing_owned, `the cluster ${id} was created by the entity ${owner}, which manages it`);
}
