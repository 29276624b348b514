import { describeError, systemClock, type Clock } from "@cloudwright/platform";
import { findAddress, useCluster } from "../access/open-cluster.ts";
import { awaitApi } from "../access/reach-cluster.ts";
import type { Cloud } from "../cloud.ts";
import { requireEntity, type DeployerTask } from "../task.ts";
import { listClaimVolumes, removeClaims, type ClaimVolume } from "./remove-claims.ts";
import { removeEntrances } from "./remove-entrances.ts";
import { removeKarpenterNodes } from "./remove-karpenter-nodes.ts";
import { createSweeper } from "./sweeper.ts";

export interface SweepOptions {
  readonly reachMs: number;
  readonly sweepMs: number;
  readonly clock?: Clock;
}

/**
 * Deletes the load balancers, volumes and Karpenter nodes that a cluster created, through the cluster's own controllers. Runs before the
 * cluster itself is deleted. Problems are logged and do not stop the deletion, because leftover resources are deleted later.
 * `knowsRetained` says whether the ids of all volumes to retain are known.
 */
export async function sweepCluster(
  cloud: Cloud,
  task: DeployerTask,
  options: SweepOptions,
): Promise<{ readonly knowsRetained: boolean }> {
  const { clock = systemClock, reachMs, sweepMs } = options;
  const retained: string[] = [];
  let knowsRetained = false;
  try {
    const address = findAddress(task);
    if (address === undefined) return { knowsRetained };
    await useCluster(cloud, address, async ({ client }) => {
      await awaitApi(client, clock, Math.min(reachMs, longestReachMs), task.signal);
      const sweeper = createSweeper({ client, clock }, task, sweepMs);
      const volumes = await listClaimVolumes(sweeper, requireEntity(task, "Cluster").spec.claimVolumes);
      for (const volume of volumes) task.log(describeVolume(volume));
      retained.push(...volumes.flatMap(({ id, isKept }) => (isKept && id !== "" ? [id] : [])));
      // A volume without an id cannot be marked for retention. If such a volume must be kept, all volumes are kept.
      knowsRetained = volumes.every(({ id, isKept }) => !isKept || id !== "");
      await removeEntrances(sweeper);
      await removeClaims(sweeper, volumes);
      await sweeper.awaitGone();
      await removeKarpenterNodes(sweeper);
      await sweeper.awaitGone();
    });
  } catch (error) {
    task.signal.throwIfAborted();
    task.log(`the cluster is deleted without removing its load balancers and volumes first: ${describeError(error)}`);
  }
  // Only the cluster knows which volumes to retain, and it no longer exists when leftovers are deleted. A failure here therefore stops the
  // deletion.
  for (const volume of retained) await cloud.leftovers?.retain(volume);
  return { knowsRetained };
}

// Maximum wait for the API in milliseconds. An existing cluster responds sooner than a new one.
const longestReachMs = 20_000;

function describeVolume({ object, id, claim, isKept }: ClaimVolume): string {
  const what = `volume ${id || object.metadata.name}${claim === "" ? "" : ` of claim ${claim}`}`;
  return isKept ? `${what} is kept in the cloud` : `${what} is deleted`;
}
