import { describeError, systemClock, type Clock } from "@cloudwright/platform";
import { findAddress, useCluster } from "../access/open-cluster.ts";
import { awaitApi } from "../access/reach-cluster.ts";
import type { Cloud } from "../cloud.ts";
import type { DeployerTask } from "../task.ts";
import { listRetained, removeClaims } from "./remove-claims.ts";
import { removeEntrances } from "./remove-entrances.ts";
import { removeKarpenterNodes } from "./remove-karpenter-nodes.ts";
import { createSweeper } from "./sweeper.ts";

/** How a sweep is done. */
export interface SweepOptions {
  readonly reachMs: number;
  readonly sweepMs: number;
  readonly clock?: Clock;
}

/**
 * Before a cluster goes, what it has made in its cloud goes, by those who made it: load balancers, volumes, Karpenter's nodes. Nothing here keeps
 * the cluster from going: what cannot be reached or does not go in time is noted, and looked for in the cloud afterwards.
 */
export async function sweepCluster(cloud: Cloud, task: DeployerTask, options: SweepOptions): Promise<void> {
  const { clock = systemClock, reachMs, sweepMs } = options;
  const retained: string[] = [];
  try {
    const address = findAddress(task);
    if (address === undefined) return;
    await useCluster(cloud, address, async ({ client }) => {
      await awaitApi(client, clock, Math.min(reachMs, longestReachMs), task.signal);
      const sweeper = createSweeper({ client, clock }, task, sweepMs);
      retained.push(...(await listRetained(sweeper)));
      await removeEntrances(sweeper);
      await removeClaims(sweeper);
      await sweeper.awaitGone();
      await removeKarpenterNodes(sweeper);
      await sweeper.awaitGone();
    });
  } catch (error) {
    task.signal.throwIfAborted();
    task.log(`the cluster goes without having been cleared: ${describeError(error)}`);
  }
  // That it is to stay is known by the cluster alone, which will be gone when leftovers are looked for: a failure here keeps the cluster.
  for (const volume of retained) await cloud.leftovers?.retain(volume);
}

// One that is to go is not waited for as long as one that has just been made.
const longestReachMs = 20_000;
