import type { CreateOptions } from "../../library/call-options.ts";
import { checkCount, checkText, deriveToken, readToken } from "../../library/check-request.ts";
import type { ClusterRequest, EndpointAccess } from "../../library/clusters.ts";
import { createCloudFault, isCloudFault, refuseRequest, orUndefined } from "../../library/errors.ts";
import type { NodePoolRequest } from "../../library/node-pools.ts";
import { minorOf } from "../../library/versions.ts";
import type { Cluster } from "../models.ts";
import { listVersions } from "./available-versions.ts";
import { checkMachineType } from "./check-machine-type.ts";
import type { GcpContext } from "./context.ts";
import { renderLabels, tokenTag, toTags } from "./labels.ts";
import { checkOperation, type GkeOperation } from "./operations.ts";
import { chooseLocation, chooseNodeZones, spreadNodes } from "./places.ts";
import { getCluster, type GkePlace } from "./read-gke.ts";
import { checkClusterName, pathOf } from "./references.ts";
import { checkPool, renderPool } from "./render-pool.ts";

/** A cluster whose creation GKE has accepted. */
export interface AcceptedCluster {
  readonly place: GkePlace;
  /** Name of the operation. Absent if an earlier call created the cluster. */
  readonly operation?: string;
}

/**
 * Sends the request to create a cluster with its first pool. GKE's names are unique in a location, and a label records the call's token, so
 * a repeated request never creates a second cluster.
 */
export async function acceptCluster(
  context: GcpContext,
  request: ClusterRequest,
  options: CreateOptions,
): Promise<AcceptedCluster> {
  const { signal } = options;
  const pool = checkCluster(request);
  const token = deriveToken(readToken("gcp", options), "cluster");
  const place = { project: context.project, location: chooseLocation(context, request), name: request.name };
  if (await isOwnCluster(context, place, token, signal)) return { place };
  const doing = `create the GKE cluster ${place.name} in ${place.location}`;
  const cluster = await renderCluster(context, place, { request, pool, token, signal });
  try {
    const operation = await context.api.call<GkeOperation>(doing, {
      service: "container",
      action: "projects.locations.clusters.create",
      method: "POST",
      path: `projects/${place.project}/locations/${place.location}/clusters`,
      body: { cluster },
      signal,
    });
    checkOperation(doing, operation);
    return { place, ...(operation.name === undefined ? {} : { operation: operation.name }) };
  } catch (error) {
    // The response to an earlier attempt may have been lost.
    if (isCloudFault(error, "conflict", "unavailable") && (await isOwnCluster(context, place, token, signal))) return { place };
    throw error;
  }
}

/** Throws `clouds.invalid` if a request cannot succeed. Returns the first pool, or undefined for clusters without pools. */
function checkCluster(request: ClusterRequest): NodePoolRequest | undefined {
  const { name, version, nodeCount = 1, nodeType, subnets = [], pool = {}, native = {}, endpointAccess } = request;
  checkText("gcp", "the cluster's name", name);
  checkClusterName("cluster", name);
  if (version !== undefined) minorOf("gcp", version);
  checkCount("gcp", "nodeCount", nodeCount);
  if (subnets.length > 1) throw refuseRequest("gcp", `a GKE cluster uses one subnetwork, not ${subnets.length}`);
  if (endpointAccess?.public === false && endpointAccess.private === false)
    throw refuseRequest("gcp", "a cluster needs a public or a private endpoint");
  const { autopilot } = native as { readonly autopilot?: { readonly enabled?: boolean } };
  if (autopilot?.enabled === true) return undefined;
  const first = { ...pool, count: nodeCount, ...(nodeType === undefined ? {} : { type: nodeType }) };
  checkPool(first);
  return first;
}

interface ClusterPlan {
  readonly request: ClusterRequest;
  readonly pool: NodePoolRequest | undefined;
  readonly token: string;
  readonly signal: AbortSignal | undefined;
}

async function renderCluster(
  context: GcpContext,
  { location, name }: GkePlace,
  { request, pool, token, signal }: ClusterPlan,
): Promise<Cluster> {
  const { version, network, subnets = [], tags = {}, endpointAccess, native = {} } = request;
  const given = native as Cluster;
  const [subnet] = subnets;
  const labels = renderLabels({ ...context.options.tags, ...tags, [tokenTag]: token });
  const chosen = version === undefined ? undefined : await chooseOffered(context, location, given, version, signal);
  const zones = pool === undefined ? [] : await chooseNodeZones(context, location, pool.zones, signal);
  const spread = spreadNodes(pool?.count ?? 0, zones, (pool?.zones ?? []).length > 0);
  await checkMachineType(context, { type: pool?.type, zones: spread.zones }, signal);
  return {
    ...native,
    name,
    resourceLabels: labels,
    // Without this setting, clusters created through the API would use routes instead of alias IP ranges.
    ipAllocationPolicy: { useIpAliases: true, ...given.ipAllocationPolicy },
    ...(chosen === undefined ? {} : { initialClusterVersion: chosen }),
    ...(network === undefined ? {} : { network: pathOf(network) }),
    ...(subnet === undefined ? {} : { subnetwork: pathOf(subnet) }),
    ...(endpointAccess === undefined ? {} : { controlPlaneEndpointsConfig: renderAccess(endpointAccess, given) }),
    ...(pool === undefined ? {} : { locations: zones, nodePools: [renderPool(context, pool, { ...spread, token })] }),
  };
}

/** GKE puts a cluster without a release channel into the most mature channel that offers the version. */
async function chooseOffered(
  context: GcpContext,
  location: string,
  { releaseChannel }: Cluster,
  version: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const versions = await listVersions(context, location, signal);
  return versions.choose(version, releaseChannel?.channel);
}

function renderAccess({ public: isPublic, cidrs }: EndpointAccess, { controlPlaneEndpointsConfig: given }: Cluster) {
  return {
    ...given,
    ipEndpointsConfig: {
      ...given?.ipEndpointsConfig,
      enabled: true,
      enablePublicEndpoint: isPublic ?? true,
      ...(cidrs === undefined
        ? {}
        : { authorizedNetworksConfig: { enabled: true, cidrBlocks: cidrs.map((cidrBlock) => ({ cidrBlock })) } }),
    },
  };
}

/** Returns whether a call with the same token created the cluster. Throws `clouds.conflict` if another cluster has the name. */
async function isOwnCluster(
  context: GcpContext,
  place: GkePlace,
  token: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const existing = await orUndefined(getCluster(context, place, signal));
  if (existing === undefined) return false;
  if (toTags(existing.resourceLabels ?? {})[tokenTag] === token) return true;
  throw createCloudFault(`the GKE cluster ${place.name} already exists in ${place.location}, and this call did not create it`, {
    cloud: "gcp",
    category: "conflict",
  });
}
