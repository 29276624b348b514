import type { CallOptions } from "../../library/call-options.ts";
import type { ClusterInfo, ClusterRef } from "../../library/clusters.ts";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import { inParallel } from "../../library/in-parallel.ts";
import type { NodePoolInfo } from "../../library/node-pools.ts";
import { toStatus } from "../../library/statuses.ts";
import type { Cluster, InstanceGroupManager, ListClustersResponse, NodePool, StatusCondition } from "../models.ts";
import { lastPart } from "../resource-names.ts";
import { clusterStatuses, nodePoolStatuses } from "../statuses.ts";
import type { GcpContext } from "./context.ts";
import { toTags } from "./labels.ts";
import { regionOf } from "./places.ts";
import { pathOf, readClusterRef } from "./references.ts";

/** The location of a cluster. */
export interface GkePlace {
  readonly project: string;
  readonly location: string;
  readonly name: string;
}

export function pathOfCluster({ project, location, name }: GkePlace): string {
  return `projects/${project}/locations/${location}/clusters/${name}`;
}

export async function getCluster({ api }: GcpContext, place: GkePlace, signal: AbortSignal | undefined): Promise<Cluster> {
  return api.call<Cluster>(`read the GKE cluster ${place.name} in ${place.location}`, {
    service: "container",
    action: "projects.locations.clusters.get",
    path: pathOfCluster(place),
    signal,
  });
}

/** Reads a cluster with its node pools. */
export async function readCluster(context: GcpContext, place: GkePlace, signal: AbortSignal | undefined): Promise<ClusterInfo> {
  const cluster = await getCluster(context, place, signal);
  const pools = await inParallel(cluster.nodePools ?? [], 4, (pool) => readPoolInfo(context, place, cluster, pool, signal));
  return toClusterInfo(place, cluster, pools);
}

/** Lists the clusters of all locations. `missing` contains the zones that did not respond. */
export async function listClusters(
  { api, project }: GcpContext,
  signal: AbortSignal | undefined,
): Promise<{ readonly clusters: readonly Cluster[]; readonly missing: readonly string[] }> {
  const { clusters = [], missingZones = [] } = await api.call<ListClustersResponse>("list the GKE clusters", {
    service: "container",
    action: "projects.locations.clusters.list",
    path: `projects/${project}/locations/-/clusters`,
    signal,
  });
  return { clusters, missing: missingZones };
}

/** Finds the location of a cluster. A name is looked up in all locations. Throws `clouds.not_found` if there is no such cluster. */
export async function locate(context: GcpContext, ref: ClusterRef, { signal }: CallOptions): Promise<GkePlace> {
  const { name, project = context.project, location } = readClusterRef(ref);
  if (location !== undefined) return { project, location, name };
  const { clusters, missing } = await listClusters(context, signal);
  const places = clusters
    .filter((cluster) => cluster.name === name)
    .map((cluster) => ({ project, location: locationOf(cluster), name }));
  const [place] = places;
  if (places.length > 1)
    throw refuseRequest("gcp", `several GKE clusters are called ${name}; pass an ID: ${places.map(pathOfCluster).join(", ")}`);
  if (place !== undefined) return place;
  if (missing.length > 0)
    throw createCloudFault(`the GKE cluster ${name} was not found, but these zones did not respond: ${missing.join(", ")}`, {
      cloud: "gcp",
      category: "unavailable",
    });
  throw createCloudFault(`there is no GKE cluster ${name} in the project ${project}`, { cloud: "gcp", category: "not_found" });
}

export function locationOf({ location, selfLink = "" }: Cluster): string {
  return location ?? readClusterRef(selfLink).location ?? "";
}

export function toClusterInfo(place: GkePlace, cluster: Cluster, nodePools: readonly NodePoolInfo[]): ClusterInfo {
  const { status = "", currentMasterVersion, initialClusterVersion, createTime, masterAuth, networkConfig } = cluster;
  const network = networkConfig?.network ?? cluster.network;
  const subnetwork = networkConfig?.subnetwork ?? cluster.subnetwork;
  const endpoint = endpointOf(cluster);
  const reason = describeConditions(cluster);
  return {
    id: pathOfCluster(place),
    name: place.name,
    cloud: "gcp",
    region: regionOf(place.location),
    location: place.location,
    version: currentMasterVersion ?? initialClusterVersion ?? "",
    status: toStatus(clusterStatuses, status),
    nativeStatus: status,
    ...(reason === "" ? {} : { statusReason: reason }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(masterAuth?.clusterCaCertificate === undefined ? {} : { certificateAuthority: masterAuth.clusterCaCertificate }),
    nodePools,
    ...(network === undefined ? {} : { network: pathOf(network) }),
    subnets: subnetwork === undefined || subnetwork === "" ? [] : [pathOf(subnetwork)],
    tags: toTags(cluster.resourceLabels ?? {}),
    ...(createTime === undefined ? {} : { createdAt: new Date(createTime) }),
  };
}

/** Returns the URL of the Kubernetes API. A cluster whose IP endpoints are off has only a DNS name. */
export function endpointOf({ endpoint = "", controlPlaneEndpointsConfig: endpoints }: Cluster): string | undefined {
  const dnsName = endpoints?.ipEndpointsConfig?.enabled === false ? (endpoints.dnsEndpointConfig?.endpoint ?? "") : "";
  const host = endpoint === "" ? dnsName : endpoint;
  return host === "" ? undefined : `https://${host}`;
}

/** Returns why a cluster or node pool is degraded or failed, with the code first. */
function describeConditions(resource: {
  readonly conditions?: readonly StatusCondition[];
  readonly statusMessage?: string;
}): string {
  const { conditions = [], statusMessage = "" } = resource;
  const reasons = conditions.map(({ code, canonicalCode, message = "" }) => {
    const own = code === undefined || code === "UNKNOWN" ? (canonicalCode ?? "UNKNOWN") : code;
    return `${own}: ${message}`;
  });
  return reasons.length > 0 ? reasons.join("; ") : statusMessage;
}

/** Reads one node pool. */
export async function readPool(
  context: GcpContext,
  place: GkePlace,
  name: string,
  signal: AbortSignal | undefined,
): Promise<NodePoolInfo> {
  return readPoolInfo(
    context,
    place,
    await getCluster(context, place, signal),
    await getPool(context, place, name, signal),
    signal,
  );
}

export async function getPool(
  { api }: GcpContext,
  place: GkePlace,
  name: string,
  signal: AbortSignal | undefined,
): Promise<NodePool> {
  return api.call<NodePool>(`read the node pool ${name} of the GKE cluster ${place.name}`, {
    service: "container",
    action: "projects.locations.clusters.nodePools.get",
    path: `${pathOfCluster(place)}/nodePools/${name}`,
    signal,
  });
}

/** Returns the zones of a pool. A pool without its own zones uses those of its cluster. */
export function zonesOf(cluster: Cluster, { locations = [] }: NodePool): readonly string[] {
  return locations.length > 0 ? locations : (cluster.locations ?? []);
}

export async function readPoolInfo(
  context: GcpContext,
  place: GkePlace,
  cluster: Cluster,
  pool: NodePool,
  signal: AbortSignal | undefined,
): Promise<NodePoolInfo> {
  const { name = "", status = "", version = "", config = {}, autoscaling = {} } = pool;
  const zones = zonesOf(cluster, pool);
  const reason = describeConditions(pool);
  const { enabled = false, minNodeCount = 0, maxNodeCount = 0, totalMinNodeCount = 0, totalMaxNodeCount = 0 } = autoscaling;
  const limits =
    totalMaxNodeCount > 0
      ? { min: totalMinNodeCount, max: totalMaxNodeCount }
      : { min: minNodeCount * zones.length, max: maxNodeCount * zones.length };
  return {
    id: `${pathOfCluster(place)}/nodePools/${name}`,
    name,
    cluster: place.name,
    status: toStatus(nodePoolStatuses, status),
    nativeStatus: status,
    ...(reason === "" ? {} : { statusReason: reason }),
    version,
    count: await countNodes(context, pool, zones.length, signal),
    ...(enabled ? limits : {}),
    types: config.machineType === undefined ? [] : [config.machineType],
    zones,
    labels: config.labels ?? {},
    tags: toTags(config.resourceLabels ?? {}),
    nodeSelector: `cloud.google.com/gke-nodepool=${name}`,
  };
}

/**
 * GKE does not report the size of a pool, so the sizes of its instance groups are summed. The initial size is used while a pool has no
 * groups, and if the credentials do not allow reading them.
 */
async function countNodes(
  { api }: GcpContext,
  { name = "", instanceGroupUrls = [], initialNodeCount = 0 }: NodePool,
  zones: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  if (instanceGroupUrls.length === 0) return initialNodeCount * zones;
  try {
    const sizes = await inParallel(instanceGroupUrls, 4, async (url) => {
      const path = pathOf(url).replace("/instanceGroups/", "/instanceGroupManagers/");
      const group = await api.find<InstanceGroupManager>(`read the size of the node pool ${name} in ${lastPart(path)}`, {
        service: "compute",
        action: "instanceGroupManagers.get",
        path,
        signal,
      });
      return group?.targetSize ?? 0;
    });
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch (error) {
    if (isCloudFault(error, "denied")) return initialNodeCount * zones;
    throw error;
  }
}
