import { listOf, objectOf, textOf, textsOf, type Json, type JsonObject } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { createCloudFault, isCloudFault, refuseRequest, orUndefined } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import { toStatus } from "../../library/statuses.ts";
import { minorOf } from "../../library/versions.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { Cluster, ClusterUpdate } from "../models.ts";
import { clusterStatuses } from "../statuses.ts";
import { listVersions } from "../library/available-versions.ts";
import { appearMs, deleteCluster } from "../library/clusters.ts";
import type { GcpContext } from "../library/context.ts";
import { deletePool } from "../library/node-pools.ts";
import { changeCluster, checkOperation, type GkeOperation } from "../library/operations.ts";
import { chooseNodeZones } from "../library/places.ts";
import {
  endpointOf,
  getCluster,
  listClusters,
  locationOf,
  pathOfCluster,
  toClusterInfo,
  type GkePlace,
} from "../library/read-gke.ts";
import { isReady } from "../library/readiness.ts";
import { readClusterRef } from "../library/references.ts";
import { upgradeCluster } from "../library/upgrade.ts";
import {
  checkOwner,
  checkTaken,
  findOwned,
  listOwnLabels,
  ownerOfLabels,
  readBlock,
  renderOwnerLabels,
  replaceOwnLabels,
  type PartScope,
} from "./part-support.ts";

const readyMs = 60 * 60_000;

/**
 * GKE cannot create a cluster without a pool. Node pools are managed as separate resources, so this initial pool is deleted as soon as
 * the cluster runs.
 */
const initialPool = "cloudwright-initial";

/**
 * GKE clusters. The ID is `projects/p/locations/l/clusters/c`. Attributes: `name`, `location`, `node_locations`, `min_master_version` (a
 * minor version), `network` and `subnetwork` (paths), `datapath_provider`, `release_channel` (one block with `channel`),
 * `ip_allocation_policy` (one block with `cluster_secondary_range_name`, `services_secondary_range_name`), `private_cluster_config` (one
 * block with `enable_private_nodes`, `enable_private_endpoint`), `master_ipv4_cidr_block` (not part of the block, because GKE may choose a
 * range if none is given), `master_authorized_networks_config` (one block with `cidr_blocks`), `workload_identity_config` (one block with
 * `workload_pool`), `resource_labels`. A blueprint sets every field of a block that it uses. In `private_cluster_config`, only
 * `enable_private_endpoint` can be changed in place.
 */
export function createClusterPart(context: GcpContext, { entityUid }: PartScope): CloudPart {
  return {
    name: "google_container_cluster",
    immutable: [
      "name",
      "location",
      "network",
      "subnetwork",
      "datapath_provider",
      "ip_allocation_policy",
      "master_ipv4_cidr_block",
      "failed",
    ],
    async create(attributes, owner, signal) {
      const place = { project: context.project, location: textOf(attributes["location"]), name: textOf(attributes["name"]) };
      const what = `the GKE cluster ${place.name}`;
      const existing = await orUndefined(getCluster(context, readPlace(pathOfCluster(place)), signal));
      if (existing === undefined) await sendCreate(context, place, attributes, owner, signal);
      else checkTaken(what, existing.resourceLabels, owner);
      return { id: pathOfCluster(place), attributes: toAttributes(await settle(context, place, signal)) };
    },
    async read(id, signal) {
      const found = await orUndefined(getCluster(context, readPlace(id), signal));
      return found === undefined || found.status === "STOPPING" ? undefined : toAttributes(found);
    },
    async update(id, attributes, signal) {
      const place = readPlace(id);
      const now = await settle(context, place, signal);
      for (const update of listUpdates(attributes, toAttributes(now))) await sendUpdate(context, place, update, signal);
      const version = textOf(attributes["min_master_version"]);
      if (version !== "" && version !== minorOfCluster(now))
        await upgradeCluster(context, place, { version, pools: "control-plane" }, { signal });
      if (attributes["resource_labels"] !== undefined) await setLabels(context, place, attributes["resource_labels"], signal);
      return toAttributes(await settle(context, place, signal));
    },
    async delete(id, signal) {
      const place = readPlace(id);
      const found = await orUndefined(getCluster(context, place, signal));
      checkOwner(`the GKE cluster ${place.name}`, found?.resourceLabels, entityUid);
      if (found !== undefined) await deleteCluster(context, place, { signal, timeoutMs: readyMs });
    },
    async listOwned(uid, signal) {
      const clusters = await listOwnedClusters(context, signal);
      return clusters.flatMap(({ place, cluster }) => findOwned(pathOfCluster(place), cluster.resourceLabels, uid) ?? []);
    },
    async findOwner(id, signal) {
      return ownerOfLabels((await orUndefined(getCluster(context, readPlace(id), signal)))?.resourceLabels);
    },
  };
}

function readPlace(id: string): GkePlace {
  const { project, location, name } = readClusterRef(id);
  if (project === undefined || location === undefined)
    throw refuseRequest("gcp", `"${id}" is not a GKE cluster's ID; use projects/p/locations/l/clusters/c`);
  return { project, location, name };
}

/** Lists all clusters. Throws `clouds.unavailable` if a zone did not respond, because its clusters would be mistaken for deleted ones. */
export async function listOwnedClusters(
  context: GcpContext,
  signal: AbortSignal,
): Promise<readonly { readonly place: GkePlace; readonly cluster: Cluster }[]> {
  const { clusters, missing } = await listClusters(context, signal);
  if (missing.length > 0)
    throw createCloudFault(`Google Cloud could not list the GKE clusters: ${missing.join(", ")} did not respond`, {
      cloud: "gcp",
      category: "unavailable",
    });
  return clusters.map((cluster) => ({
    place: { project: context.project, location: locationOf(cluster), name: cluster.name ?? "" },
    cluster,
  }));
}

/** Waits until a cluster runs and deletes its initial pool. */
async function settle(context: GcpContext, place: GkePlace, signal: AbortSignal): Promise<Cluster> {
  const wait = (): Promise<Cluster> =>
    waitFor(context.clock, {
      cloud: "gcp",
      timeoutMs: readyMs,
      signal,
      notFoundMs: appearMs,
      describe: (last) => `the GKE cluster ${place.name} is still ${last?.status ?? "unknown"}`,
      read: () => getCluster(context, place, signal),
      isDone: (cluster) => isReady(toClusterInfo(place, cluster, []), {}),
    });
  const cluster = await wait();
  if (!hasInitialPool(cluster)) return cluster;
  await deletePool(context, place, initialPool, { signal, timeoutMs: readyMs });
  return wait();
}

function hasInitialPool({ nodePools = [] }: Cluster): boolean {
  return nodePools.some(({ name }) => name === initialPool);
}

async function sendCreate(
  context: GcpContext,
  place: GkePlace,
  attributes: PartAttributes,
  owner: PartOwner,
  signal: AbortSignal,
): Promise<void> {
  const doing = `create the GKE cluster ${place.name} in ${place.location}`;
  const requested = textsOf(attributes["node_locations"]);
  const zones = await chooseNodeZones(context, place.location, requested, signal);
  const version = textOf(attributes["min_master_version"]);
  const { channel } = readBlock(attributes["release_channel"]);
  const chosen =
    version === ""
      ? undefined
      : (await listVersions(context, place.location, signal)).choose(version, typeof channel === "string" ? channel : undefined);
  const [network, subnetwork] = [textOf(attributes["network"]), textOf(attributes["subnetwork"])];
  const datapathProvider = textOf(attributes["datapath_provider"]);
  const cluster: Cluster = {
    ...renderBlocks(attributes),
    name: place.name,
    locations: zones,
    resourceLabels: renderOwnerLabels(attributes["resource_labels"], owner),
    nodePools: [{ name: initialPool, initialNodeCount: 1, locations: zones.slice(0, 1) }],
    ...(chosen === undefined ? {} : { initialClusterVersion: chosen }),
    ...(network === "" ? {} : { network }),
    ...(subnetwork === "" ? {} : { subnetwork }),
    ...(datapathProvider === "" ? {} : { networkConfig: { datapathProvider } }),
  };
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
  } catch (error) {
    const taken = isCloudFault(error, "conflict", "unavailable")
      ? await orUndefined(getCluster(context, place, signal))
      : undefined;
    if (taken === undefined) throw error;
    checkTaken(`the GKE cluster ${place.name}`, taken.resourceLabels, owner);
  }
}

function renderBlocks(attributes: PartAttributes): Cluster {
  const policy = readBlock(attributes["ip_allocation_policy"]);
  const isPrivate = readBlock(attributes["private_cluster_config"]);
  const range = textOf(attributes["master_ipv4_cidr_block"]);
  return {
    ...renderUpdatable(attributes),
    ipAllocationPolicy: {
      useIpAliases: true,
      ...(policy["cluster_secondary_range_name"] === undefined
        ? {}
        : { clusterSecondaryRangeName: textOf(policy["cluster_secondary_range_name"]) }),
      ...(policy["services_secondary_range_name"] === undefined
        ? {}
        : { servicesSecondaryRangeName: textOf(policy["services_secondary_range_name"]) }),
    },
    ...(attributes["private_cluster_config"] === undefined
      ? {}
      : {
          privateClusterConfig: {
            enablePrivateNodes: isPrivate["enable_private_nodes"] === true,
            enablePrivateEndpoint: isPrivate["enable_private_endpoint"] === true,
            ...(range === "" ? {} : { masterIpv4CidrBlock: range }),
          },
        }),
  };
}

/** Renders the blocks that GKE can change in an existing cluster. */
function renderUpdatable(attributes: PartAttributes): Cluster {
  const channel = textOf(readBlock(attributes["release_channel"])["channel"]);
  const pool = textOf(readBlock(attributes["workload_identity_config"])["workload_pool"]);
  return {
    ...(channel === "" ? {} : { releaseChannel: { channel } }),
    ...(pool === "" ? {} : { workloadIdentityConfig: { workloadPool: pool } }),
    ...(attributes["master_authorized_networks_config"] === undefined
      ? {}
      : { masterAuthorizedNetworksConfig: renderNetworks(attributes["master_authorized_networks_config"]) }),
  };
}

function renderNetworks(block: Json | undefined) {
  const ranges = listOf(readBlock(block)["cidr_blocks"]).map((each) => textOf(objectOf(each)["cidr_block"]));
  // If enabled, `gcpPublicCidrsAccessEnabled` would also admit the public address ranges of virtual machines that belong to other Google
  // Cloud customers.
  return { enabled: true, gcpPublicCidrsAccessEnabled: false, cidrBlocks: ranges.map((cidrBlock) => ({ cidrBlock })) };
}

/** Lists the updates to send for a cluster. GKE accepts one changed field per request. */
function listUpdates(desired: PartAttributes, current: PartAttributes): readonly ClusterUpdate[] {
  const isChanged = (name: string): boolean => desired[name] !== undefined && !isDeepStrictEqual(desired[name], current[name]);
  const blocks = renderUpdatable(desired);
  const isPrivate = readBlock(desired["private_cluster_config"]);
  return [
    ...(isChanged("node_locations") ? [{ desiredLocations: textsOf(desired["node_locations"]) }] : []),
    ...(isChanged("release_channel") ? [{ desiredReleaseChannel: blocks.releaseChannel ?? {} }] : []),
    ...(isChanged("workload_identity_config") ? [{ desiredWorkloadIdentityConfig: blocks.workloadIdentityConfig ?? {} }] : []),
    ...(isChanged("master_authorized_networks_config")
      ? [{ desiredMasterAuthorizedNetworksConfig: blocks.masterAuthorizedNetworksConfig ?? {} }]
      : []),
    ...(isChanged("private_cluster_config") ? [planEndpoint(isPrivate, readBlock(current["private_cluster_config"]))] : []),
  ];
}

/** Returns the update that opens or closes the public endpoint. GKE cannot change anything else about a private cluster. */
function planEndpoint(desired: JsonObject, current: JsonObject): ClusterUpdate {
  const { enable_private_endpoint: isClosed } = desired;
  if (!isDeepStrictEqual({ ...desired, enable_private_endpoint: null }, { ...current, enable_private_endpoint: null }))
    throw refuseRequest("gcp", "GKE cannot change whether the nodes of a cluster are private; create another cluster");
  return {
    desiredControlPlaneEndpointsConfig: { ipEndpointsConfig: { enabled: true, enablePublicEndpoint: isClosed !== true } },
  };
}

async function sendUpdate(context: GcpContext, place: GkePlace, update: ClusterUpdate, signal: AbortSignal): Promise<void> {
  const doing = `change the GKE cluster ${place.name}`;
  const action = "projects.locations.clusters.update";
  await changeCluster(
    context,
    place,
    { doing, action, method: "PUT", suffix: "", body: { update } },
    { timeoutMs: readyMs, signal },
  );
}

async function setLabels(context: GcpContext, place: GkePlace, desired: Json, signal: AbortSignal): Promise<void> {
  const { resourceLabels = {}, labelFingerprint = "" } = await getCluster(context, place, signal);
  const labels = replaceOwnLabels(resourceLabels, desired);
  if (isDeepStrictEqual(labels, resourceLabels)) return;
  await changeCluster(
    context,
    place,
    {
      doing: `label the GKE cluster ${place.name}`,
      action: "projects.locations.clusters.setResourceLabels",
      method: "POST",
      suffix: ":setResourceLabels",
      body: { resourceLabels: labels, labelFingerprint },
    },
    { timeoutMs: readyMs, signal },
  );
}

function minorOfCluster({ currentMasterVersion = "" }: Cluster): string {
  return currentMasterVersion === "" ? "" : minorOf("gcp", currentMasterVersion);
}

/** Returns the attributes that a plan compares, and the outputs. */
function toAttributes(cluster: Cluster): PartAttributes {
  const status = toStatus(clusterStatuses, cluster.status);
  const {
    networkConfig,
    ipAllocationPolicy: policy,
    privateClusterConfig: own,
    masterAuthorizedNetworksConfig: networks,
  } = cluster;
  const ranges = (networks?.cidrBlocks ?? []).map(({ cidrBlock = "" }) => cidrBlock).toSorted();
  return {
    name: cluster.name ?? "",
    location: locationOf(cluster),
    node_locations: [...(cluster.locations ?? [])].toSorted(),
    min_master_version: minorOfCluster(cluster),
    network: networkConfig?.network ?? cluster.network ?? "",
    subnetwork: networkConfig?.subnetwork ?? cluster.subnetwork ?? "",
    datapath_provider: networkConfig?.datapathProvider ?? "",
    release_channel: [{ channel: cluster.releaseChannel?.channel ?? "UNSPECIFIED" }],
    ip_allocation_policy: [
      {
        cluster_secondary_range_name: policy?.clusterSecondaryRangeName ?? "",
        services_secondary_range_name: policy?.servicesSecondaryRangeName ?? "",
      },
    ],
    private_cluster_config: [
      {
        enable_private_nodes: own?.enablePrivateNodes ?? false,
        enable_private_endpoint: own?.enablePrivateEndpoint ?? false,
      },
    ],
    master_ipv4_cidr_block: own?.masterIpv4CidrBlock ?? "",
    master_authorized_networks_config:
      networks?.enabled === true ? [{ cidr_blocks: ranges.map((range): JsonObject => ({ cidr_block: range })) }] : [],
    workload_identity_config: [{ workload_pool: cluster.workloadIdentityConfig?.workloadPool ?? "" }],
    resource_labels: listOwnLabels(cluster.resourceLabels),
    ready: status === "running" && !hasInitialPool(cluster),
    failed: status === "failed",
    master_version: cluster.currentMasterVersion ?? "",
    endpoint: endpointOf(cluster) ?? "",
    certificate_authority: cluster.masterAuth?.clusterCaCertificate ?? "",
    dns_endpoint: cluster.controlPlaneEndpointsConfig?.dnsEndpointConfig?.endpoint ?? "",
  };
}
