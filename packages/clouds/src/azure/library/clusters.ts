import type { CreateOptions, WaitOptions } from "../../library/call-options.ts";
import type { ClusterInfo, Clusters } from "../../library/clusters.ts";
import { tellLeft } from "../../library/tell-left.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { ManagedCluster } from "../models.ts";
import { spellLocation, type AzureContext } from "./context.ts";
import { acceptCluster } from "./create-cluster.ts";
import { deleteResource } from "./delete-resource.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import { libraryOperations } from "./operations.ts";
import {
  clusterPath,
  findCluster,
  getCluster,
  listClusters,
  locateCluster,
  missCluster,
  placeOf,
  toClusterInfo,
} from "./read-aks.ts";
import { describeReason, isReady, limitWaits } from "./readiness.ts";
import { clusterKind, renderId, type AzurePlace } from "./references.ts";

const createMs = 60 * 60_000;
const readyMs = 30 * 60_000;
const deleteMs = 30 * 60_000;

/** A new cluster may be missing from responses for a while. */
export const appearMs = 2 * 60_000;

/** Creates the library's client for AKS clusters. */
export function createClusters(context: AzureContext): Clusters {
  return {
    async create(request, options = {}) {
      return createCluster(context, request, options);
    },
    async find(ref, { signal } = {}) {
      const found = await findCluster(context, ref, signal);
      return found === undefined ? undefined : toClusterInfo(context, found);
    },
    async get(ref, { signal } = {}) {
      const found = await findCluster(context, ref, signal);
      if (found === undefined) throw missCluster(context, ref);
      return toClusterInfo(context, found);
    },
    async list({ region, signal } = {}) {
      const all = (await listClusters(context, signal)).map((cluster) => toClusterInfo(context, cluster));
      return region === undefined || region === "all" ? all : all.filter((each) => each.region === spellLocation(region));
    },
    async delete(ref, options = {}) {
      const found = await findCluster(context, ref, options.signal);
      if (found === undefined) return;
      await deleteCluster(context, placeOf(context, found), { ...options, timeoutMs: options.timeoutMs ?? deleteMs });
    },
    async waitReady(ref, options = {}) {
      const limits = limitWaits(context, options.timeoutMs ?? readyMs, options);
      return waitClusterReady(context, await locateCluster(context, ref, options.signal), limits());
    },
    async kubeconfig(ref, options = {}) {
      return readKubeconfig(context, await locateCluster(context, ref, options.signal), options);
    },
  };
}

async function createCluster(
  context: AzureContext,
  request: Parameters<Clusters["create"]>[0],
  options: CreateOptions,
): Promise<ClusterInfo> {
  const { wait = "accepted", timeoutMs = createMs } = options;
  const limits = limitWaits(context, timeoutMs, options);
  const place = await acceptCluster(context, request, options);
  const what = `the AKS cluster ${place.name} in the resource group ${place.resourceGroup}`;
  return tellLeft({ what, call: `clusters.delete("${renderId(place, clusterKind.type)}")` }, () => {
    if (wait === "ready") return waitClusterReady(context, place, limits(), appearMs);
    return waitFor(context.clock, {
      cloud: "azure",
      timeoutMs: appearMs,
      signal: options.signal,
      notFoundMs: appearMs,
      describe: () => `the AKS cluster ${place.name} has not appeared`,
      read: async (signal) => toClusterInfo(context, await getCluster(context, place, signal)),
      isDone: () => true,
    });
  });
}

/** Waits until a cluster and its agent pools are usable. */
async function waitClusterReady(
  context: AzureContext,
  place: AzurePlace,
  options: WaitOptions & { readonly timeoutMs: number },
  notFoundMs = 0,
): Promise<ClusterInfo> {
  return waitFor(context.clock, {
    cloud: "azure",
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    notFoundMs,
    describe: (last) => describeUnready(place, last),
    read: async (signal) => toClusterInfo(context, await getCluster(context, place, signal)),
    isDone: (cluster) =>
      isReady({ ...cluster, name: `the AKS cluster ${place.name}` }, options) &&
      cluster.nodePools.every((pool) =>
        // Ignores stopped pools and pools that are being deleted.
        ["stopped", "deleting"].includes(pool.status) ? true : isReady({ ...pool, name: `the agent pool ${pool.name}` }),
      ),
  });
}

function describeUnready({ name }: AzurePlace, cluster: ClusterInfo | undefined): string {
  const pool = cluster?.nodePools.find(({ status }) => status !== "running");
  if (cluster?.status !== "running" || pool === undefined)
    return `the AKS cluster ${name} is still ${cluster?.nativeStatus ?? "unknown"}`;
  return `the agent pool ${pool.name} of the AKS cluster ${name} is still ${pool.nativeStatus}${describeReason(pool)}`;
}

/** Deletes a cluster with its agent pools and its managed identity. */
async function deleteCluster(
  context: AzureContext,
  place: AzurePlace,
  options: WaitOptions & { readonly timeoutMs: number },
): Promise<void> {
  const { api } = context;
  const request = { path: clusterPath(place), signal: options.signal };
  const what = `the AKS cluster ${place.name}`;
  await deleteResource(context, options, {
    what,
    read: async () => {
      const found = await api.find<ManagedCluster>(`read ${what}`, libraryOperations.getCluster, request);
      return found === undefined ? undefined : (found.properties?.provisioningState ?? "");
    },
    send: () => api.call(`delete ${what}`, libraryOperations.deleteCluster, request),
  });
}
