import type { CallOptions } from "../../library/call-options.ts";
import type { ClusterInfo, UpgradeRequest } from "../../library/clusters.ts";
import { createCloudFault, refuseRequest } from "../../library/errors.ts";
import type { NodePoolInfo } from "../../library/node-pools.ts";
import { checkUpgrade } from "../../library/versions.ts";
import { waitFor } from "../../library/wait-for.ts";
import { changeResource, toClusterBody } from "./change-resource.ts";
import type { AzureContext } from "./context.ts";
import { resolveVersion } from "./create-cluster.ts";
import { changePool } from "./node-pools.ts";
import { libraryOperations } from "./operations.ts";
import { clusterPath, getCluster, getPool, locateCluster, toClusterInfo, toPoolInfo } from "./read-aks.ts";
import { describeFailed, limitWaits, type Observed } from "./readiness.ts";
import type { AzurePlace } from "./references.ts";

const upgradeMs = 2 * 60 * 60_000;

/** Upgrades a control plane, then its agent pools one after the other. Components that already run the version are left unchanged. */
export async function upgradeCluster(
  context: AzureContext,
  ref: string,
  request: UpgradeRequest,
  { signal }: CallOptions,
): Promise<ClusterInfo> {
  const { pools = "all", beforePool, timeoutMs = upgradeMs } = request;
  const limits = limitWaits(context, timeoutMs, signal === undefined ? {} : { signal });
  const place = await locateCluster(context, ref, signal);
  const readAll = async (): Promise<ClusterInfo> => toClusterInfo(context, await getCluster(context, place, signal));
  const before = await readAll();
  const version = await chooseTarget(context, before, request.version, signal);
  checkUpgrade("azure", place.name, before.version, version);
  if (before.status === "stopped")
    throw createCloudFault(`the AKS cluster ${place.name} is stopped; start it before the upgrade`, {
      cloud: "azure",
      category: "conflict",
    });
  const chosen = choosePools(before, pools);
  await sendCluster(context, place, version, limits());
  await awaitVersion(context, limits(), version, before.status, async () => ({
    ...(await readAll()),
    name: `the AKS cluster ${place.name}`,
  }));
  for (const { name } of chosen) {
    const read = async (): Promise<NodePoolInfo> => {
      const [cluster, pool] = await Promise.all([getCluster(context, place, signal), getPool(context, place, name, signal)]);
      return toPoolInfo(cluster, { ...pool.properties, name });
    };
    const now = await read();
    if (now.version !== version) await beforePool?.(now);
    signal?.throwIfAborted();
    await changePool(context, place, name, limits(), (current) =>
      (current.currentOrchestratorVersion ?? current.orchestratorVersion) === version && current.provisioningState === "Succeeded"
        ? undefined
        : { orchestratorVersion: version },
    );
    await awaitVersion(context, limits(), version, now.status, async () => ({
      ...(await read()),
      name: `the agent pool ${name} of the AKS cluster ${place.name}`,
    }));
  }
  return readAll();
}

/** AKS withdraws old patch versions, so a cluster may run a version that is no longer offered. */
async function chooseTarget(
  context: AzureContext,
  { version: current, region }: ClusterInfo,
  requested: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (requested.replace(/^v/, "") === current) return current;
  return (await resolveVersion(context, region, requested, signal)) ?? current;
}

function choosePools({ name, nodePools }: ClusterInfo, pools: NonNullable<UpgradeRequest["pools"]>): readonly NodePoolInfo[] {
  if (pools === "all") return nodePools.filter(({ status }) => status !== "deleting");
  if (pools === "control-plane") return [];
  return pools.map((wanted) => {
    const found = nodePools.find((pool) => pool.name === wanted || pool.id.toLowerCase() === wanted.toLowerCase());
    if (found === undefined) throw refuseRequest("azure", `the AKS cluster ${name} has no agent pool ${wanted}`);
    return found;
  });
}

/** Sends the upgrade of a control plane. Azure does not upgrade the agent pools, because the request does not change their versions. */
async function sendCluster(
  context: AzureContext,
  place: AzurePlace,
  version: string,
  limits: ReturnType<ReturnType<typeof limitWaits>>,
): Promise<void> {
  const { signal } = limits;
  const path = clusterPath(place);
  await changeResource(context, limits, {
    what: `the AKS cluster ${place.name}`,
    read: () => getCluster(context, place, signal),
    render(current) {
      const { currentKubernetesVersion, kubernetesVersion, provisioningState } = current.properties ?? {};
      const isThere = (currentKubernetesVersion ?? kubernetesVersion) === version && provisioningState === "Succeeded";
      return isThere ? undefined : toClusterBody(current, { kubernetesVersion: version });
    },
    send: (body, headers) => {
      const doing = `upgrade the AKS cluster ${place.name} to Kubernetes ${version}`;
      return context.api.call(doing, libraryOperations.putCluster, { path, body, headers, signal });
    },
  });
}

/** Waits until a cluster or pool runs a version. Throws if the upgrade fails. */
async function awaitVersion(
  context: AzureContext,
  { timeoutMs, signal }: ReturnType<ReturnType<typeof limitWaits>>,
  version: string,
  before: string,
  read: () => Promise<Observed & { readonly version: string }>,
): Promise<void> {
  // An upgrade may repair a failed cluster or pool. Directly after the request, Azure may still return the old failure.
  let isStarted = before !== "failed";
  await waitFor(context.clock, {
    cloud: "azure",
    timeoutMs,
    signal,
    describe: (last) =>
      `${last?.name ?? "the upgrade"} is still ${last?.nativeStatus ?? "unknown"} with Kubernetes ${last?.version ?? "unknown"}`,
    read,
    isDone(observed) {
      const { status } = observed;
      isStarted ||= status !== "failed";
      if (isStarted && (status === "failed" || status === "deleting")) throw describeFailed(observed);
      return status === "running" && observed.version === version;
    },
  });
}
