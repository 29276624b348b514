import { findNumber, listOf, numberOf, textOf, textsOf, type Json, type JsonObject } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { isCloudFault, refuseRequest, orUndefined } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import { toStatus } from "../../library/statuses.ts";
import { minorOf } from "../../library/versions.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { Cluster, NodeManagement, NodePool, NodePoolAutoscaling } from "../models.ts";
import { nodePoolStatuses } from "../statuses.ts";
import { listVersions } from "../library/available-versions.ts";
import { appearMs } from "../library/clusters.ts";
import type { GcpContext } from "../library/context.ts";
import { deletePool, waitPoolReady } from "../library/node-pools.ts";
import { changeCluster, checkOperation, type GkeChange, type GkeOperation } from "../library/operations.ts";
import { getCluster, getPool, pathOfCluster, readPoolInfo, zonesOf, type GkePlace } from "../library/read-gke.ts";
import { readPoolPath } from "../library/references.ts";
import { upgradePool } from "../library/upgrade.ts";
import { listOwnedClusters } from "./container-cluster.ts";
import { listConfigUpdates, renderConfig, toConfigAttributes } from "./node-config.ts";
import {
  checkOwner,
  checkTaken,
  findOwned,
  ownerOfLabels,
  readBlock,
  renderOwnerLabels,
  type PartScope,
} from "./part-support.ts";

const readyMs = 60 * 60_000;
const prefix = "projects.locations.clusters.nodePools";

interface PoolPlace {
  readonly cluster: GkePlace;
  readonly name: string;
}

/**
 * GKE node pools. The ID is `projects/p/locations/l/clusters/c/nodePools/n`. Attributes: `cluster` (a name), `location`, `name`,
 * `node_locations`, `node_count` (per zone), `autoscaling` (one block with `min_node_count`, `max_node_count` per zone), `version` (a minor
 * version), `management` (one block with `auto_repair`, `auto_upgrade`), `node_config` (one block with `machine_type`, `image_type`,
 * `disk_type`, `disk_size_gb`, `spot`, `service_account`, `oauth_scopes`, `tags`, `labels`, `resource_labels`, `taint`, and the blocks
 * `shielded_instance_config` and `workload_metadata_config`). A blueprint sets every field of a block that it uses. GKE cannot change the
 * `fixedFields` of an existing pool, so a blueprint includes them in the pool's name.
 */
export function createNodePoolPart(context: GcpContext, { entityUid }: PartScope): CloudPart {
  const read = async (place: PoolPlace, signal: AbortSignal): Promise<PartAttributes | undefined> => {
    const cluster = await orUndefined(getCluster(context, place.cluster, signal));
    const pool = await orUndefined(getPool(context, place.cluster, place.name, signal));
    if (cluster === undefined || pool === undefined || pool.status === "STOPPING") return undefined;
    return toAttributes(context, place, cluster, pool, signal);
  };
  return {
    name: "google_container_node_pool",
    immutable: ["cluster", "location", "name", "failed"],
    async create(attributes, owner, signal) {
      const place = readPlace(
        `projects/${context.project}/locations/${textOf(attributes["location"])}/clusters/${textOf(attributes["cluster"])}/nodePools/${textOf(attributes["name"])}`,
      );
      const existing = await orUndefined(getPool(context, place.cluster, place.name, signal));
      if (existing === undefined) await sendCreate(context, place, attributes, owner, signal);
      else checkTaken(`the node pool ${idOf(place)}`, existing.config?.resourceLabels, owner);
      await waitPoolReady(context, place.cluster, place.name, { signal, timeoutMs: readyMs }, { notFoundMs: appearMs });
      return { id: idOf(place), attributes: (await read(place, signal)) ?? attributes };
    },
    read: async (id, signal) => read(readPlace(id), signal),
    async update(id, attributes, signal) {
      const place = readPlace(id);
      await waitPoolReady(context, place.cluster, place.name, { signal, timeoutMs: readyMs });
      const current = (await read(place, signal)) ?? {};
      const pool = await getPool(context, place.cluster, place.name, signal);
      for (const change of listChanges(place, attributes, current, pool))
        await changeCluster(context, place.cluster, change, { timeoutMs: readyMs, signal });
      const version = textOf(attributes["version"]);
      if (version !== "" && version !== current["version"])
        await upgradePool(context, place.cluster, pool, {
          version: await chooseNodeVersion(context, place.cluster, version, signal),
          timeoutMs: readyMs,
          signal,
        });
      await waitPoolReady(context, place.cluster, place.name, { signal, timeoutMs: readyMs });
      return (await read(place, signal)) ?? attributes;
    },
    async delete(id, signal) {
      const place = readPlace(id);
      const found = await orUndefined(getPool(context, place.cluster, place.name, signal));
      checkOwner(`the node pool ${id}`, found?.config?.resourceLabels, entityUid);
      if (found !== undefined) await deletePool(context, place.cluster, place.name, { signal, timeoutMs: readyMs });
    },
    async listOwned(uid, signal) {
      const clusters = await listOwnedClusters(context, signal);
      return clusters.flatMap(({ place, cluster }) =>
        (cluster.nodePools ?? []).flatMap(
          ({ name = "", config }) => findOwned(idOf({ cluster: place, name }), config?.resourceLabels, uid) ?? [],
        ),
      );
    },
    async findOwner(id, signal) {
      const place = readPlace(id);
      return ownerOfLabels((await orUndefined(getPool(context, place.cluster, place.name, signal)))?.config?.resourceLabels);
    },
  };
}

/** Nodes get the control plane's version, so that they are never newer than the control plane. */
async function chooseNodeVersion(context: GcpContext, place: GkePlace, minor: string, signal: AbortSignal): Promise<string> {
  const { currentMasterVersion = "" } = await getCluster(context, place, signal);
  if (currentMasterVersion !== "" && minorOf("gcp", currentMasterVersion) === minor) return currentMasterVersion;
  return (await listVersions(context, place.location, signal)).chooseForNodes(minor);
}

function readPlace(id: string): PoolPlace {
  const place = readPoolPath(id);
  if (place === undefined)
    throw refuseRequest("gcp", `"${id}" is not a node pool's ID; use projects/p/locations/l/clusters/c/nodePools/n`);
  return place;
}

function idOf({ cluster, name }: PoolPlace): string {
  return `${pathOfCluster(cluster)}/nodePools/${name}`;
}

/** Sends the request to create a pool, and repeats it while GKE rejects it because of another change. */
async function sendCreate(
  context: GcpContext,
  { cluster, name }: PoolPlace,
  attributes: PartAttributes,
  owner: PartOwner,
  signal: AbortSignal,
): Promise<void> {
  const doing = `create the node pool ${name} of the GKE cluster ${cluster.name}`;
  const version = textOf(attributes["version"]);
  const config = readBlock(attributes["node_config"]);
  const scaling = readBlock(attributes["autoscaling"]);
  const zones = textsOf(attributes["node_locations"]);
  const nodePool: NodePool = {
    name,
    initialNodeCount: findNumber(attributes["node_count"]) ?? numberOf(scaling["min_node_count"]),
    ...(zones.length === 0 ? {} : { locations: zones }),
    ...(version === "" ? {} : { version: (await listVersions(context, cluster.location, signal)).chooseForNodes(version) }),
    ...(listOf(attributes["autoscaling"]).length === 0 ? {} : { autoscaling: renderScaling(scaling) }),
    ...(listOf(attributes["management"]).length === 0 ? {} : { management: renderManagement(attributes["management"]) }),
    config: {
      ...renderConfig(config),
      metadata: { "disable-legacy-endpoints": "true" },
      resourceLabels: renderOwnerLabels(config["resource_labels"], owner, "pool"),
    },
  };
  await waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs: readyMs,
    signal,
    describe: () => `the GKE cluster ${cluster.name} is still being changed`,
    async read() {
      try {
        const operation = await context.api.call<GkeOperation>(doing, {
          service: "container",
          action: `${prefix}.create`,
          method: "POST",
          path: `${pathOfCluster(cluster)}/nodePools`,
          body: { nodePool },
          signal,
        });
        checkOperation(doing, operation);
        return true;
      } catch (error) {
        if (!isCloudFault(error, "conflict", "unavailable")) throw error;
        const taken = await orUndefined(getPool(context, cluster, name, signal));
        if (taken !== undefined) checkTaken(`the node pool ${name}`, taken.config?.resourceLabels, owner);
        if (taken === undefined && isCloudFault(error, "unavailable")) throw error;
        return taken !== undefined;
      }
    },
    isDone: (isAccepted) => isAccepted,
  });
}

function renderManagement(value: Json | undefined): NodeManagement {
  const { auto_repair: repair, auto_upgrade: upgrade } = readBlock(value);
  return { autoRepair: repair === true, autoUpgrade: upgrade === true };
}

function renderScaling(block: JsonObject): NodePoolAutoscaling {
  return { enabled: true, minNodeCount: numberOf(block["min_node_count"]), maxNodeCount: numberOf(block["max_node_count"]) };
}

/** Lists the requests that change a pool. GKE accepts one kind of change per request. */
function listChanges(
  { cluster, name }: PoolPlace,
  desired: PartAttributes,
  current: PartAttributes,
  { config: now = {} }: NodePool,
): readonly GkeChange[] {
  const isChanged = (field: string): boolean =>
    desired[field] !== undefined && !isDeepStrictEqual(desired[field], current[field]);
  const doing = `change the node pool ${name} of the GKE cluster ${cluster.name}`;
  const suffix = `/nodePools/${name}`;
  const updates = [
    ...(isChanged("node_locations") ? [{ locations: textsOf(desired["node_locations"]) }] : []),
    ...(isChanged("node_config")
      ? listConfigUpdates(readBlock(desired["node_config"]), readBlock(current["node_config"]), now.resourceLabels)
      : []),
  ];
  const scaling = readBlock(desired["autoscaling"]);
  const hasScaling = listOf(desired["autoscaling"]).length > 0;
  return [
    ...updates.map((body) => ({ doing, action: `${prefix}.update`, method: "PUT", suffix, body }) as const),
    ...(isChanged("autoscaling")
      ? [
          {
            doing,
            action: `${prefix}.setAutoscaling`,
            method: "POST",
            suffix: `${suffix}:setAutoscaling`,
            body: { autoscaling: hasScaling ? renderScaling(scaling) : { enabled: false } },
          } as const,
        ]
      : []),
    ...(isChanged("management")
      ? [
          {
            doing,
            action: `${prefix}.setManagement`,
            method: "POST",
            suffix: `${suffix}:setManagement`,
            body: { management: renderManagement(desired["management"]) },
          } as const,
        ]
      : []),
    ...(isChanged("node_count")
      ? [
          {
            doing,
            action: `${prefix}.setSize`,
            method: "POST",
            suffix: `${suffix}:setSize`,
            body: { nodeCount: numberOf(desired["node_count"]) },
          } as const,
        ]
      : []),
  ];
}

/** Returns the attributes that a plan compares, and the outputs. */
async function toAttributes(
  context: GcpContext,
  { cluster: place, name }: PoolPlace,
  cluster: Cluster,
  pool: NodePool,
  signal: AbortSignal,
): Promise<PartAttributes> {
  const { config = {}, autoscaling = {}, management = {}, version = "" } = pool;
  const status = toStatus(nodePoolStatuses, pool.status);
  const zones = zonesOf(cluster, pool);
  const { count, nodeSelector } = await readPoolInfo(context, place, cluster, pool, signal);
  return {
    cluster: place.name,
    location: place.location,
    name,
    node_locations: [...zones].toSorted(),
    node_count: Math.round(count / Math.max(1, zones.length)),
    autoscaling:
      autoscaling.enabled === true
        ? [{ min_node_count: autoscaling.minNodeCount ?? 0, max_node_count: autoscaling.maxNodeCount ?? 0 }]
        : [],
    version: version === "" ? "" : minorOf("gcp", version),
    management: [{ auto_repair: management.autoRepair ?? false, auto_upgrade: management.autoUpgrade ?? false }],
    node_config: [toConfigAttributes(config)],
    ready: status === "running",
    failed: status === "failed",
    node_selector: nodeSelector,
    node_version: version,
  };
}
