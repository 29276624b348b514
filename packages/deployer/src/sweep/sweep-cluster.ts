import { describeError, systemClock, type Clock } from "@cloudwright/platform";
import { findAddress, useCluster } from "../access/open-cluster.ts";
import { awaitApi } from "../access/reach-cluster.ts";
import type { Cloud } from "../cloud.ts";
import type { DeployerTask } from "../task.ts";
import { listRetained, removeClaims } from "./remove-claims.ts";
import { removeEntrances } from "./remove-entrances.ts";
import { removeKarpenterNodes } from "./remove-karpenter-nodes.ts";
import { createSweeper } from "./sweeper.ts";

/** Options of a sweep. */
export interface SweepOptions {
  readonly reachMs: number;
  readonly sweepMs: number;
  readonly clock?: Clock;
}

/**
 * Removes what a cluster created in its cloud (load balancers, volumes, Karpenter's nodes) through its own controllers, before the cluster is deleted.
 * Problems are logged and do not stop the deletion: leftover resources are removed from the cloud afterwards. Returns whether the cluster could name
 * the volumes that must outlive it.
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
      retained.push(...(await listRetained(sweeper)));
      knowsRetained = true;
      await removeEntrances(sweeper);
      await removeClaims(sweeper);
      await sweeper.awaitGone();
      await removeKarpenterNodes(sweeper);
      await sweeper.awaitGone();
    });
  } catch (error) {
    task.signal.throwIfAborted();
    task.log(`the cluster is deleted without a sweep: ${describeError(error)}`);
  }
  // Only the cluster knows that a volume must be retained, and it will be gone when leftovers are removed. A failure here stops the deletion.
  for (const volume of retained) await cloud.leftovers?.retain(volume);
  return { knowsRetained };
}

// The deadline is shorter than for a new cluster.
const longestReachMs = 20_000;
