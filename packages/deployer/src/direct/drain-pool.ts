import { drainNodes } from "@cloudwright/kube";
import { describeError, Fault, systemClock } from "@cloudwright/platform";
import { findAddress, useCluster } from "../access/open-cluster.ts";
import { patienceWith, type Patience } from "../access/patience.ts";
import { awaitApi } from "../access/reach-cluster.ts";
import type { Cloud } from "../cloud.ts";
import type { DeletionWork } from "../executor/in-process/blueprint.ts";
import { deployerFaults } from "../faults.ts";

const longestReachMs = 120_000;

/**
 * Drains the nodes of a pool before the pool is deleted. If the cluster's API cannot be used, the deletion continues, and the cloud drains
 * the nodes itself. Throws if pods remain at the deadline, unless the request allows deletions that lose data.
 */
export async function drainPool(
  { pool, nodeLabels }: { readonly pool: string; readonly nodeLabels: string },
  cloud: Cloud,
  { task, account }: DeletionWork,
  patience: Partial<Patience> = {},
): Promise<void> {
  const address = findAddress(task);
  if (address === undefined) return;
  const { reachMs, nodesMs } = patienceWith(account, patience);
  const { signal } = task;
  const tell = (message: string): void => task.progress(20, `draining the pool ${pool}: ${message}`);
  const remaining = await useCluster(cloud, address, async ({ client }) => {
    await awaitApi(client, systemClock, Math.min(reachMs, longestReachMs), signal);
    task.log(`the pool ${pool} is being drained`);
    return drainNodes(client, nodeLabels, { deadlineMs: nodesMs, signal, tell });
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    task.log(
      `the pool ${pool} is not drained by the platform, because the Kubernetes API of the cluster cannot be used: ${describeError(error)}`,
    );
    return [];
  });
  if (remaining.length === 0) return;
  const pods = remaining.slice(0, 3).map(({ pod, reason }) => `${pod}: ${reason}`);
  const message = `the pool ${pool} still runs ${remaining.length} pods that cannot be evicted: ${pods.join("; ")}`;
  if (!task.payload.allow.includes("delete")) throw new Fault(deployerFaults.drain_blocked, message);
  task.log(`${message}; the pool is deleted, because the request allows it`);
}
