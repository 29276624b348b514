import type { ClusterInfo } from "../../library/clusters.ts";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { NodePoolInfo } from "../../library/node-pools.ts";
import type { AgentPool, ErrorDetail, ManagedCluster, ManagedClusterAgentPoolProfile } from "../models.ts";
import { operations } from "../operations.ts";
import { readClusterStatus } from "../statuses.ts";
import { spellLocation, type AzureContext } from "./context.ts";
import { libraryOperations } from "./operations.ts";
import { clusterKind, readReference, renderId, type AzurePlace } from "./references.ts";

type Signal = AbortSignal | undefined;

/** Returns the path parameters for calls about a cluster. */
export function clusterPath({ subscriptionId, resourceGroup, name }: AzurePlace): Record<string, string> {
  return { subscriptionId, resourceGroupName: resourceGroup, resourceName: name };
}

/** Reads a cluster as Azure returns it. Throws `clouds.not_found` if it does not exist. */
export async function getCluster({ api }: AzureContext, place: AzurePlace, signal: Signal): Promise<ManagedCluster> {
  const doing = `read the AKS cluster ${place.name}`;
  return api.call<ManagedCluster>(doing, libraryOperations.getCluster, { path: clusterPath(place), signal });
}

/** Reads an agent pool as Azure returns it. Throws `clouds.not_found` if it does not exist. */
export async function getPool({ api }: AzureContext, place: AzurePlace, pool: string, signal: Signal): Promise<AgentPool> {
  const doing = `read the agent pool ${pool} of the AKS cluster ${place.name}`;
  const path = { ...clusterPath(place), agentPoolName: pool };
  return api.call<AgentPool>(doing, libraryOperations.getPool, { path, signal });
}

/** Lists a cluster's agent pools. */
export async function listPools(context: AzureContext, place: AzurePlace, signal: Signal): Promise<NodePoolInfo[]> {
  const doing = `list the agent pools of the AKS cluster ${place.name}`;
  const [cluster, pools] = await Promise.all([
    getCluster(context, place, signal),
    context.api.list<AgentPool>(doing, operations.listPools, { path: clusterPath(place), signal }),
  ]);
  return pools.map(({ name = "", properties }) => toPoolInfo(cluster, { ...properties, name }));
}

/** Lists the clusters in the subscription or, if the credentials do not allow this, the clusters in the client's resource group. */
export async function listClusters({ api, options }: AzureContext, signal: Signal): Promise<readonly ManagedCluster[]> {
  const doing = "list the AKS clusters";
  try {
    return await api.list<ManagedCluster>(doing, operations.listClusters, { signal });
  } catch (error) {
    if (!isCloudFault(error, "denied")) throw error;
    const path = { resourceGroupName: options.resourceGroup };
    return api.list<ManagedCluster>(doing, libraryOperations.listGroupClusters, { path, signal });
  }
}

/**
 * Finds a cluster by its name or ID. A name is looked up in the client's resource group and then in the subscription, because names are
 * unique only within a resource group. Throws `clouds.invalid` if several clusters share the name.
 */
export async function findCluster(context: AzureContext, ref: string, signal: Signal): Promise<ManagedCluster | undefined> {
  const { isExact, ...place } = readReference(context, clusterKind, ref);
  const doing = `read the AKS cluster ${place.name}`;
  const near = await context.api.find<ManagedCluster>(doing, libraryOperations.getCluster, { path: clusterPath(place), signal });
  if (near !== undefined || isExact) return near;
  const found = (await listClusters(context, signal)).filter((each) => each.name?.toLowerCase() === place.name.toLowerCase());
  if (found.length > 1) {
    const ids = found.map(({ id = "" }) => id).join(", ");
    throw refuseRequest("azure", `several AKS clusters are called ${place.name}; pass an ID: ${ids}`);
  }
  return found[0];
}

/** Finds the resource group and name of a cluster. Throws `clouds.not_found` if there is no such cluster. */
export async function locateCluster(context: AzureContext, ref: string, signal: Signal): Promise<AzurePlace> {
  const found = await findCluster(context, ref, signal);
  if (found === undefined) throw missCluster(context, ref);
  return placeOf(context, found);
}

/** Returns the fault for a cluster that does not exist. */
export function missCluster({ options }: AzureContext, ref: string): Error {
  const place = `the resource group ${options.resourceGroup} or elsewhere in the subscription`;
  return createCloudFault(`there is no AKS cluster ${ref} in ${place}`, { cloud: "azure", category: "not_found" });
}

/** Returns the resource group and name of a cluster that Azure returned. */
export function placeOf(context: AzureContext, { id = "" }: ManagedCluster): AzurePlace {
  const { subscriptionId, resourceGroup, name } = readReference(context, clusterKind, id);
  return { subscriptionId, resourceGroup, name };
}

export function toClusterInfo(context: AzureContext, cluster: ManagedCluster): ClusterInfo {
  const place = placeOf(context, cluster);
  const { properties = {}, tags = {}, systemData } = cluster;
  const { kubernetesVersion = "", currentKubernetesVersion, agentPoolProfiles = [] } = properties;
  const host = properties.fqdn ?? properties.privateFQDN;
  const region = spellLocation(cluster.location ?? "");
  return {
    id: renderId(place, clusterKind.type),
    name: cluster.name ?? place.name,
    cloud: "azure",
    region,
    location: region,
    resourceGroup: place.resourceGroup,
    version: currentKubernetesVersion ?? kubernetesVersion,
    ...readClusterStatus(properties.provisioningState, properties.powerState?.code),
    ...renderReason(properties.status?.provisioningError),
    ...(host === undefined || host === "" ? {} : { endpoint: `https://${host}:443` }),
    nodePools: agentPoolProfiles.map((profile) => toPoolInfo(cluster, profile)),
    subnets: [...new Set(agentPoolProfiles.flatMap(({ vnetSubnetID }) => vnetSubnetID ?? []))],
    tags,
    ...(systemData?.createdAt === undefined ? {} : { createdAt: new Date(systemData.createdAt) }),
  };
}

/** Describes an agent pool. Azure returns the same fields in the cluster and in the pool itself. */
export function toPoolInfo(cluster: ManagedCluster, profile: ManagedClusterAgentPoolProfile): NodePoolInfo {
  const { name = "", enableAutoScaling, minCount, maxCount, vmSize, availabilityZones } = profile;
  const isScaled = enableAutoScaling === true;
  return {
    id: `${cluster.id ?? ""}/agentPools/${name}`,
    name,
    cluster: cluster.name ?? "",
    ...readClusterStatus(profile.provisioningState, profile.powerState?.code),
    ...renderReason(profile.status?.provisioningError),
    version: profile.currentOrchestratorVersion ?? profile.orchestratorVersion ?? "",
    count: profile.count ?? 0,
    ...(isScaled && minCount !== undefined ? { min: minCount } : {}),
    ...(isScaled && maxCount !== undefined ? { max: maxCount } : {}),
    types: vmSize === undefined ? [] : [vmSize],
    zones: (availabilityZones ?? []).map((zone) => `${spellLocation(cluster.location ?? "")}-${zone}`),
    labels: profile.nodeLabels ?? {},
    tags: profile.tags ?? {},
    nodeSelector: `kubernetes.azure.com/agentpool=${name}`,
  };
}

function renderReason(error: ErrorDetail | undefined): { readonly statusReason?: string } {
  if (error?.message === undefined || error.message === "") return {};
  return { statusReason: error.code === undefined ? error.message : `${error.code}: ${error.message}` };
}
