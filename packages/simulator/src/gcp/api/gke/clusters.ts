import { listOf, numberOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { mergeBlocks, readFields, writeFields } from "../../../api/map-fields.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ValueMap } from "../../../values/value.ts";
import { countNodes } from "../../account/pool-sizes.ts";
import { hash } from "../../place.ts";
import { invalid, refuse } from "../errors.ts";
import { clusterMapping, fingerprintOf } from "./cluster-mapping.ts";
import { renderOperation, toTime } from "./gke-operations.ts";
import {
  clusterType as type,
  findBusy,
  getCluster,
  inLocation,
  listPools,
  parameterOf,
  pickChanged,
  readVersion,
  requireIdle,
} from "./gke-records.ts";
import { createPool, describePool } from "./node-pools.ts";
import { planUpdate } from "./cluster-updates.ts";
import { chooseChannel } from "./versions.ts";

/** Operations on clusters. */
export const clusterOperations: readonly ApiOperation[] = [
  ...inLocation({
    name: "clusters.create",
    method: "POST",
    path: "/clusters",
    touches: { type, operation: "create" },
    isZonal: true,
    run: createCluster,
  }),
  ...inLocation({
    name: "clusters.get",
    method: "GET",
    path: "/clusters/{cluster}",
    touches: { type, operation: "read" },
    isZonal: true,
    run: async (call) => describeCluster(call, await getCluster(call)),
  }),
  ...inLocation({
    name: "clusters.list",
    method: "GET",
    path: "/clusters",
    touches: { type, operation: "read" },
    isZonal: true,
    async run(call) {
      const prefix = `projects/${parameterOf(call, "project")}/locations/`;
      const location = parameterOf(call, "location");
      const found = (await listRecords(call, type)).filter(
        ({ id, attributes }) => id.startsWith(prefix) && (location === "-" || attributes["location"] === location),
      );
      const ordered = found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const clusters = await Promise.all(ordered.map((cluster) => describeCluster(call, cluster)));
      return clusters.length === 0 ? {} : { clusters };
    },
  }),
  ...inLocation({
    name: "clusters.delete",
    method: "DELETE",
    path: "/clusters/{cluster}",
    touches: { type, operation: "delete" },
    isZonal: true,
    async run(call) {
      const cluster = await getCluster(call);
      requireIdle(call, cluster);
      return renderOperation(call, await deleteCluster(call, cluster));
    },
  }),
  ...inLocation({
    name: "clusters.update",
    method: "PUT",
    path: "/clusters/{cluster}",
    touches: { type, operation: "update" },
    isZonal: true,
    async run(call) {
      const cluster = await getCluster(call);
      const { name, patch } = planUpdate(cluster, objectOf(objectOf(call.body)["update"]));
      return changeCluster(call, cluster, name, patch);
    },
  }),
  ...inLocation({
    name: "clusters.updateMaster",
    method: "POST",
    path: "/clusters/{cluster}:updateMaster",
    touches: { type, operation: "update" },
    async run(call) {
      const cluster = await getCluster(call);
      const version = readVersion(textOf(objectOf(call.body)["masterVersion"]), textOf(cluster.attributes["master_version"]));
      return changeCluster(call, cluster, "UPGRADE_MASTER", { min_master_version: version });
    },
  }),
  ...inLocation({
    name: "clusters.setLocations",
    method: "POST",
    path: "/clusters/{cluster}:setLocations",
    touches: { type, operation: "update" },
    async run(call) {
      const desiredLocations = objectOf(call.body)["locations"];
      const cluster = await getCluster(call);
      return changeCluster(call, cluster, "UPDATE_CLUSTER", planUpdate(cluster, { desiredLocations }).patch);
    },
  }),
  ...inLocation({
    name: "clusters.setResourceLabels",
    method: "POST",
    path: "/clusters/{cluster}:setResourceLabels",
    touches: { type, operation: "update" },
    async run(call) {
      const cluster = await getCluster(call);
      const { resourceLabels, labelFingerprint } = objectOf(call.body);
      if (textOf(labelFingerprint) !== fingerprintOf(cluster)) {
        refuse({ code: "conditionNotMet", message: "Labels could not be set due to fingerprint mismatch.", status: 412 });
      }
      const labels = Object.fromEntries(Object.entries(objectOf(resourceLabels)).map(([key, value]) => [key, textOf(value)]));
      return changeCluster(call, cluster, "SET_LABELS", { resource_labels: labels, effective_labels: labels });
    },
  }),
];

async function createCluster(call: ApiCall): Promise<unknown> {
  const request = objectOf(objectOf(call.body)["cluster"]);
  if (textOf(request["name"]) === "") refuse(invalid("Cluster.name must be specified."));
  const asked = textOf(request["initialClusterVersion"]);
  const version = asked === "" || asked === "-" ? undefined : readVersion(asked, "");
  const written = writeFields(clusterMapping, { ...request, initialClusterVersion: version });
  const location = parameterOf(call, "location");
  const config: ValueMap = {
    release_channel: [{ channel: chooseChannel(version) }],
    ...written,
    ...(textsOf(request["locations"]).length === 0
      ? {}
      : { node_locations: textsOf(request["locations"]).filter((zone) => zone !== location) }),
    project: parameterOf(call, "project"),
    location,
    deletion_protection: false,
    ...readEndpoints(written, request),
  };
  const pools = listFirstPools(request);
  const beyond = { api_created_ms: Math.floor(call.nowMs) };
  const { record, operation } = await call.operations.create(type, config, { name: "CREATE_CLUSTER", beyond });
  try {
    for (const pool of pools) await createPool(call, record, pool);
  } catch (error) {
    // GKE checks the pools before it creates anything.
    for (const pool of await listPools(call, record)) await call.operations.delete(pool, { isInstant: true });
    await call.operations.delete(record, { isInstant: true });
    throw error;
  }
  return renderOperation(call, operation);
}

/**
 * Reads the endpoints of a request. A disabled public IP endpoint becomes an enabled private endpoint, because Terraform has no other
 * attribute for it.
 */
function readEndpoints(written: ValueMap, request: Readonly<Record<string, unknown>>): ValueMap {
  const { ipEndpointsConfig } = objectOf(request["controlPlaneEndpointsConfig"]);
  const { enablePublicEndpoint, authorizedNetworksConfig } = objectOf(ipEndpointsConfig);
  const networks = writeFields(clusterMapping, { masterAuthorizedNetworksConfig: authorizedNetworksConfig });
  if (enablePublicEndpoint !== false) return networks;
  const closed = { private_cluster_config: [{ enable_private_endpoint: true }] };
  return { ...networks, ...pickChanged(mergeBlocks(written, closed), closed) };
}

/** Returns the requests for the pools that a cluster is created with. */
function listFirstPools(request: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const { nodePools, initialNodeCount, nodeConfig, autopilot } = request;
  if (objectOf(autopilot)["enabled"] === true) return [];
  const pools = listOf(nodePools).map(objectOf);
  if (pools.length > 0 && initialNodeCount !== undefined) {
    refuse(invalid("Cluster.initial_node_count and Cluster.node_pools cannot both be set."));
  }
  if (pools.length > 0) return pools;
  if (numberOf(initialNodeCount) < 1) refuse(invalid("Cluster.initial_node_count must be greater than zero."));
  return [{ name: "default-pool", initialNodeCount, ...(nodeConfig === undefined ? {} : { config: nodeConfig }) }];
}

/** Accepts the deletion of a cluster with its node pools. Terraform's deletion protection does not apply to other clients. */
async function deleteCluster(call: ApiCall, cluster: CloudRecord) {
  const attributes = { ...cluster.attributes, deletion_protection: false };
  return call.operations.delete({ ...cluster, attributes }, { name: "DELETE_CLUSTER" });
}

async function changeCluster(call: ApiCall, cluster: CloudRecord, name: string, patch: ValueMap): Promise<unknown> {
  requireIdle(call, cluster);
  const { operation } = await call.operations.update(cluster, patch, { name, request: patch });
  return renderOperation(call, operation);
}

const pendingWords = { create: "PROVISIONING", update: "RECONCILING", delete: "STOPPING" } as const;

/** Renders a cluster with its node pools. While it is being created, it has no endpoint yet. */
async function describeCluster(call: ApiCall, record: CloudRecord): Promise<Record<string, unknown>> {
  const { endpoint, masterAuth, ...cluster } = readFields(clusterMapping, record);
  const own = call.operations.findPending(record);
  const busy = own ?? findBusy(call, record);
  const status = own !== undefined ? pendingWords[own.verb] : busy === undefined ? "RUNNING" : "RECONCILING";
  const pools = await listPools(call, record);
  const createdMs = record.attributes["api_created_ms"];
  return {
    ...cluster,
    ...(status === "PROVISIONING" ? {} : { endpoint, masterAuth }),
    status,
    id: hash(record.id),
    selfLink: `https://container.googleapis.com/v1/${record.id}`,
    ...(typeof createdMs === "number" ? { createTime: toTime(createdMs).replace(/\.\d+Z$/, "+00:00") } : {}),
    ...(pools.length === 0 ? {} : { nodePools: pools.map((pool) => describePool(call, record, pool)) }),
    currentNodeCount: pools.reduce((sum, { attributes }) => sum + countNodes(attributes), 0),
  };
}
