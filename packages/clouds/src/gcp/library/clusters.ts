import type { CallOptions, DeleteOptions, WaitOptions } from "../../library/call-options.ts";
import type { ClusterInfo, Clusters } from "../../library/clusters.ts";
import { createCloudFault, orUndefined } from "../../library/errors.ts";
import { renderExecKubeconfig, renderTokenKubeconfig } from "../../library/render-kubeconfig.ts";
import { tellLeft } from "../../library/tell-left.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { GcpContext } from "./context.ts";
import { acceptCluster } from "./create-cluster.ts";
import { deleteWhenFree } from "./delete-when-free.ts";
import { checkOperation, isOperationDone, type GkeOperation } from "./operations.ts";
import { isZone, regionOf } from "./places.ts";
import {
  endpointOf,
  getCluster,
  listClusters,
  locate,
  locationOf,
  pathOfCluster,
  readCluster,
  toClusterInfo,
  type GkePlace,
} from "./read-gke.ts";
import { describeReason, isReady } from "./readiness.ts";

const createMs = 60 * 60_000;
const readyMs = 30 * 60_000;
/** A new cluster may be missing from responses for this long. */
export const appearMs = 2 * 60_000;

/** Creates the library's client for GKE clusters. */
export function createClusters(context: GcpContext): Clusters {
  const get = async (ref: string, options: CallOptions = {}): Promise<ClusterInfo> =>
    readCluster(context, await locate(context, ref, options), options.signal);
  return {
    get,
    find: (ref, options = {}) => orUndefined(get(ref, options)),
    async list({ region = "all", signal } = {}) {
      const { clusters, missing } = await listClusters(context, signal);
      const isWanted = (location: string): boolean =>
        region === "all" || location === region || (!isZone(region) && regionOf(location) === region);
      const silent = region === "all" ? [] : missing.filter(isWanted);
      if (silent.length > 0)
        throw createCloudFault(
          `Google Cloud could not list the GKE clusters of ${region}: ${silent.join(", ")} did not respond`,
          {
            cloud: "gcp",
            category: "unavailable",
          },
        );
      // The pools are omitted, because this response does not contain their sizes.
      return clusters
        .filter((cluster) => isWanted(locationOf(cluster)))
        .map((cluster) =>
          toClusterInfo({ project: context.project, location: locationOf(cluster), name: cluster.name ?? "" }, cluster, []),
        );
    },
    async create(request, options = {}) {
      const { place, operation } = await acceptCluster(context, request, options);
      const { signal, wait = "accepted", timeoutMs = createMs } = options;
      const path = pathOfCluster(place);
      return tellLeft({ what: `the GKE cluster ${path}`, call: `clusters.delete("${path}")` }, () =>
        wait === "accepted"
          ? readNew(context, place, signal)
          : waitReady(context, place, { ...options, timeoutMs }, { notFoundMs: appearMs, operation }),
      );
    },
    async delete(ref, options = {}) {
      const place = await orUndefined(locate(context, ref, options));
      if (place === undefined) return;
      await deleteCluster(context, place, { timeoutMs: readyMs, ...options });
    },
    async waitReady(ref, options = {}) {
      return waitReady(context, await locate(context, ref, options), options);
    },
    async kubeconfig(ref, options = {}) {
      return renderKubeconfig(context, await locate(context, ref, options), options);
    },
  };
}

/** Reads a cluster that was just created. */
async function readNew(context: GcpContext, place: GkePlace, signal: AbortSignal | undefined): Promise<ClusterInfo> {
  return waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs: appearMs,
    signal,
    notFoundMs: appearMs,
    describe: () => `the GKE cluster ${place.name} has not appeared`,
    read: () => readCluster(context, place, signal),
    isDone: () => true,
  });
}

/** Waits until a cluster and its node pools are usable. A failed operation ends the wait. */
async function waitReady(
  context: GcpContext,
  place: GkePlace,
  options: WaitOptions,
  { notFoundMs = 0, operation }: { readonly notFoundMs?: number; readonly operation?: string | undefined } = {},
): Promise<ClusterInfo> {
  const { signal, timeoutMs = readyMs } = options;
  const doing = `create the GKE cluster ${place.name} in ${place.location}`;
  let isFollowed = operation !== undefined;
  return waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    notFoundMs,
    describe: (last) => describeUnready(place, last),
    async read() {
      if (isFollowed) isFollowed = !(await isOperationDone(context, place, operation ?? "", { doing, signal }));
      return readCluster(context, place, signal);
    },
    isDone: (cluster) =>
      isReady(cluster, options) && cluster.nodePools.every((pool) => pool.status !== "deleting" && isReady(pool, {})),
  });
}

function describeUnready({ name }: GkePlace, cluster: ClusterInfo | undefined): string {
  const [pool] = (cluster?.nodePools ?? []).filter(({ status }) => status !== "running");
  if (cluster?.status !== "running" || pool === undefined)
    return `the GKE cluster ${name} is still ${cluster?.nativeStatus ?? "unknown"}${describeReason(cluster ?? {})}`;
  return `the node pool ${pool.name} of the GKE cluster ${name} is still ${pool.nativeStatus}${describeReason(pool)}`;
}

/** Deletes a cluster with its node pools. */
export async function deleteCluster(
  context: GcpContext,
  place: GkePlace,
  options: DeleteOptions & { readonly timeoutMs: number },
): Promise<void> {
  await deleteWhenFree(context, options, {
    what: `the GKE cluster ${place.name}`,
    deleting: "STOPPING",
    read: async () => (await getCluster(context, place, options.signal)).status ?? "",
    send: () => sendDelete(context, place, options.signal),
  });
}

async function sendDelete({ api }: GcpContext, place: GkePlace, signal: AbortSignal | undefined): Promise<void> {
  const doing = `delete the GKE cluster ${place.name} in ${place.location}`;
  const operation = await api.call<GkeOperation>(doing, {
    service: "container",
    action: "projects.locations.clusters.delete",
    method: "DELETE",
    path: pathOfCluster(place),
    signal,
  });
  checkOperation(doing, operation);
}

async function renderKubeconfig(
  context: GcpContext,
  place: GkePlace,
  { mode = "exec", signal }: CallOptions & { readonly mode?: "exec" | "token" },
): Promise<string> {
  const cluster = await getCluster(context, place, signal);
  const endpoint = endpointOf(cluster);
  const { status = "new", masterAuth } = cluster;
  if (endpoint === undefined)
    throw createCloudFault(`the GKE cluster ${place.name} is ${status} and has no endpoint yet; wait until it is ready`, {
      cloud: "gcp",
      category: "conflict",
    });
  const name = `gke_${place.project}_${place.location}_${place.name}`;
  // A DNS endpoint has a public certificate, so the kubeconfig names no certificate authority.
  const hasOwnAuthority = (cluster.endpoint ?? "") !== "";
  const connection = {
    context: name,
    endpoint,
    certificateAuthority: hasOwnAuthority ? (masterAuth?.clusterCaCertificate ?? "") : "",
  };
  if (mode === "token") {
    const token = await context.getToken(signal);
    return renderTokenKubeconfig(connection, token.reveal());
  }
  return renderExecKubeconfig(connection, {
    command: "gke-gcloud-auth-plugin",
    args: [],
    provideClusterInfo: true,
    installHint: "Install it with `gcloud components install gke-gcloud-auth-plugin`.",
  });
}
