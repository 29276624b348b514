import { trimEnd } from "@cloudwright/platform/trim-end";
import type { CreateOptions } from "../../library/call-options.ts";
import { checkCount, readToken } from "../../library/check-request.ts";
import type { ClusterRequest, EndpointAccess } from "../../library/clusters.ts";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { NodePoolRequest } from "../../library/node-pools.ts";
import { chooseVersion, minorOf } from "../../library/versions.ts";
import type { ManagedCluster } from "../models.ts";
import { listAvailableVersions } from "./available-versions.ts";
import { checkMachineType } from "./check-machine-type.ts";
import { spellLocation, tokenTag, type AzureContext } from "./context.ts";
import { mergeNative } from "./merge-native.ts";
import { libraryOperations } from "./operations.ts";
import { clusterPath } from "./read-aks.ts";
import { clusterKind, readReference, type AzurePlace } from "./references.ts";
import { checkPool, defaultPool, renderPool } from "./render-pool.ts";

/**
 * Sends the request to create a cluster with its first pool and a managed identity. If an earlier call with the same token created the
 * cluster, nothing is sent. Returns the cluster's resource group and name.
 */
export async function acceptCluster(context: AzureContext, request: ClusterRequest, options: CreateOptions): Promise<AzurePlace> {
  const { signal } = options;
  const place = checkCluster(context, request);
  const token = readToken("azure", options);
  const { api } = context;
  const find = async () =>
    api.find<ManagedCluster>(`read the AKS cluster ${place.name}`, libraryOperations.getCluster, {
      path: clusterPath(place),
      signal,
    });
  const existing = await find();
  if (existing !== undefined) return checkOwn(place, existing, token);
  await checkMachineType(context, { type: firstPool(request).type, region: request.region }, signal);
  const version = await resolveVersion(context, request.region, request.version, signal);
  const poolVersion = await resolveVersion(context, request.region, request.pool?.version, signal);
  const body = renderCluster(context, request, { token, version, poolVersion: poolVersion ?? version });
  // The header makes Azure refuse the request if a cluster of that name was created in the meantime. Without it, a PUT would change that cluster.
  const headers = { "if-none-match": "*" };
  try {
    await api.call(`create the AKS cluster ${place.name}`, libraryOperations.putCluster, {
      path: clusterPath(place),
      body,
      headers,
      signal,
    });
  } catch (error) {
    // If the response to a successful request was lost, repeating the request fails.
    const made = isCloudFault(error, "conflict", "unavailable") ? await find() : undefined;
    if (made === undefined) throw error;
    return checkOwn(place, made, token);
  }
  return place;
}

/** Resolves a version without a patch to the newest patch available. */
export async function resolveVersion(
  context: AzureContext,
  region: string | undefined,
  version: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (version === undefined) return undefined;
  const place = region === undefined ? {} : { region };
  const offered = await listAvailableVersions(context, { ...place, ...(signal === undefined ? {} : { signal }) });
  return chooseVersion(
    "azure",
    offered.map((each) => each.version),
    version,
  );
}

function checkOwn(place: AzurePlace, { tags }: ManagedCluster, token: string): AzurePlace {
  if (tags?.[tokenTag] === token) return place;
  const where = `in the resource group ${place.resourceGroup}`;
  throw createCloudFault(`the AKS cluster ${place.name} already exists ${where}, and this call did not create it`, {
    cloud: "azure",
    category: "conflict",
  });
}

/** Checks a request before anything is sent. */
function checkCluster(context: AzureContext, request: ClusterRequest): AzurePlace {
  const { name, region, zone, version, nodeCount = 1, subnets = [], pool } = request;
  if (typeof name !== "string" || !clusterKind.namePattern.test(name))
    throw refuseRequest("azure", `"${name}" cannot be the name of an AKS cluster; a name has ${clusterKind.nameRule}`);
  const { subscriptionId, resourceGroup } = readReference(context, clusterKind, name);
  const place = { subscriptionId, resourceGroup, name };
  if (region !== undefined && spellLocation(region) === "") throw refuseRequest("azure", "region is empty");
  if (zone !== undefined) throw refuseRequest("azure", "AKS has no zonal clusters; set the zones of the pool in pool.zones");
  if (version !== undefined) minorOf("azure", version);
  checkCount("azure", "nodeCount", nodeCount);
  if (nodeCount === 0)
    throw refuseRequest("azure", `AKS requires at least one node; the request for the cluster ${name} has nodeCount 0`);
  if (subnets.length > 1)
    throw refuseRequest(
      "azure",
      `AKS accepts one subnet for the first pool; the request for the cluster ${name} has ${subnets.length}`,
    );
  if (pool?.spot === true)
    throw refuseRequest(
      "azure",
      "the first pool of an AKS cluster runs system pods and cannot use spot machines; add a spot pool later",
    );
  checkPool(place, firstPool(request));
  return place;
}

function firstPool({ nodeCount = 1, nodeType, subnets, pool }: ClusterRequest): NodePoolRequest {
  return {
    ...(subnets === undefined || subnets.length === 0 ? {} : { subnets }),
    ...pool,
    count: nodeCount,
    ...(nodeType === undefined ? {} : { type: nodeType }),
  };
}

function renderCluster(
  context: AzureContext,
  request: ClusterRequest,
  versions: { readonly token: string; readonly version: string | undefined; readonly poolVersion: string | undefined },
): Record<string, unknown> {
  const { name, region, tags, native, subnets = [] } = request;
  const { options } = context;
  const { token, version, poolVersion } = versions;
  const pool = firstPool(request);
  const profile = renderPool(context, pool, { token, version: poolVersion, mode: "System" });
  return mergeNative(native, {
    location: spellLocation(region ?? options.location),
    tags: { ...options.tags, ...tags, [tokenTag]: token },
    // An identity from the caller replaces the one that Azure would create and delete together with the cluster.
    ...(native?.["identity"] === undefined ? { identity: { type: "SystemAssigned" } } : {}),
    properties: {
      kubernetesVersion: version,
      dnsPrefix: renderDnsPrefix(name),
      enableRBAC: true,
      agentPoolProfiles: [{ ...profile, name: pool.name ?? defaultPool }],
      ...(subnets.length === 0 ? {} : { networkProfile: { networkPlugin: "azure", networkPluginMode: "overlay" } }),
      apiServerAccessProfile: renderAccess(request.endpointAccess),
    },
  });
}

/** The first part of the API server's host name. Azure adds a random part. */
function renderDnsPrefix(name: string): string {
  const text = name.toLowerCase().replaceAll("_", "-");
  return trimEnd(`${/^[a-z]/.test(text) ? "" : "k"}${text}`.slice(0, 54), "-");
}

function renderAccess(access: EndpointAccess | undefined): Record<string, unknown> | undefined {
  if (access === undefined) return undefined;
  const { public: isPublic = true, private: isPrivate = false, cidrs } = access;
  if (!isPublic && !isPrivate) throw refuseRequest("azure", "endpointAccess turns both the public and the private endpoint off");
  if (isPublic && isPrivate)
    throw refuseRequest("azure", "the endpoint of an AKS cluster is either public or private; set only one in endpointAccess");
  if (isPrivate && cidrs !== undefined)
    throw refuseRequest("azure", "endpointAccess.cidrs applies to public endpoints; the endpoint of this cluster is private");
  return { enablePrivateCluster: isPrivate, ...(cidrs === undefined ? {} : { authorizedIPRanges: [...cidrs] }) };
}
