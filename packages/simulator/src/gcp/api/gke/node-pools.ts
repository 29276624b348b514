import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { mergeBlocks, readFields, writeFields } from "../../../api/map-fields.ts";
import type { Changed } from "../../../api/operations.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ValueMap } from "../../../values/value.ts";
import { zonesOf } from "../../gke/node-pools.ts";
import { invalid, refuse } from "../errors.ts";
import { renderOperation } from "./gke-operations.ts";
import {
  getCluster,
  getPool,
  inLocation,
  listPools,
  pickChanged,
  poolType as type,
  readVersion,
  requireIdle,
} from "./gke-records.ts";
import { nodePoolMapping } from "./node-pool-mapping.ts";

const collection = "/clusters/{cluster}/nodePools";
const one = `${collection}/{pool}`;

/** Operations on node pools. */
export const nodePoolOperations: readonly ApiOperation[] = [
  ...inLocation({
    name: "clusters.nodePools.create",
    method: "POST",
    path: collection,
    touches: { type, operation: "create" },
    isZonal: true,
    async run(call) {
      const cluster = await getCluster(call);
      requireIdle(call, cluster);
      const { operation } = await createPool(call, cluster, objectOf(objectOf(call.body)["nodePool"]));
      return renderOperation(call, operation);
    },
  }),
  ...inLocation({
    name: "clusters.nodePools.get",
    method: "GET",
    path: one,
    touches: { type, operation: "read" },
    isZonal: true,
    run: async (call) => describePool(call, await getCluster(call), await getPool(call)),
  }),
  ...inLocation({
    name: "clusters.nodePools.list",
    method: "GET",
    path: collection,
    touches: { type, operation: "read" },
    isZonal: true,
    async run(call) {
      const cluster = await getCluster(call);
      const nodePools = (await listPools(call, cluster)).map((pool) => describePool(call, cluster, pool));
      return nodePools.length === 0 ? {} : { nodePools };
    },
  }),
  ...inLocation({
    name: "clusters.nodePools.delete",
    method: "DELETE",
    path: one,
    touches: { type, operation: "delete" },
    isZonal: true,
    async run(call) {
      const pool = await getPool(call);
      requireIdle(call, await getCluster(call));
      return renderOperation(call, await call.operations.delete(pool, { name: "DELETE_NODE_POOL" }));
    },
  }),
  ...inLocation({
    name: "clusters.nodePools.setSize",
    method: "POST",
    path: `${one}:setSize`,
    touches: { type, operation: "update" },
    async run(call) {
      const { nodeCount = 0 } = objectOf(call.body);
      if (typeof nodeCount !== "number" || !Number.isInteger(nodeCount) || nodeCount < 0) {
        refuse(invalid("NodePool.node_count must be zero or greater."));
      }
      return changePool(call, "SET_NODE_POOL_SIZE", () => ({ node_count: nodeCount }));
    },
  }),
  ...inLocation({
    name: "clusters.nodePools.setAutoscaling",
    method: "POST",
    path: `${one}:setAutoscaling`,
    touches: { type, operation: "update" },
    run: (call) => changePool(call, "UPDATE_CLUSTER", () => writeFields(nodePoolMapping, pick(call, ["autoscaling"]))),
  }),
  ...inLocation({
    name: "clusters.nodePools.setManagement",
    method: "POST",
    path: `${one}:setManagement`,
    touches: { type, operation: "update" },
    run: (call) => changePool(call, "SET_NODE_POOL_MANAGEMENT", () => writeFields(nodePoolMapping, pick(call, ["management"]))),
  }),
  ...inLocation({
    name: "clusters.nodePools.update",
    method: "PUT",
    path: one,
    touches: { type, operation: "update" },
    async run(call) {
      const isUpgrade = objectOf(call.body)["nodeVersion"] !== undefined;
      return changePool(call, isUpgrade ? "UPGRADE_NODES" : "UPDATE_CLUSTER", (cluster) => readUpdate(call, cluster));
    },
  }),
];

/** Creates a node pool, either on its own or together with its cluster. */
export async function createPool(
  call: ApiCall,
  cluster: CloudRecord,
  request: Readonly<Record<string, unknown>>,
): Promise<Changed> {
  if (textOf(request["name"]) === "") refuse(invalid("NodePool.name must be specified."));
  const { project, location, name } = cluster.attributes;
  const version = readVersion(textOf(request["version"]), textOf(cluster.attributes["master_version"]));
  const config = {
    ...writeFields(nodePoolMapping, { initialNodeCount: 0, ...request, version }),
    project: textOf(project),
    location: textOf(location),
    cluster: textOf(name),
  };
  const beyond = { api_created_ms: Math.floor(call.nowMs) };
  return call.operations.create(type, config, { name: "CREATE_NODE_POOL", beyond });
}

async function changePool(call: ApiCall, name: string, plan: (cluster: CloudRecord) => ValueMap): Promise<unknown> {
  const [cluster, pool] = [await getCluster(call), await getPool(call)];
  requireIdle(call, cluster);
  const written = plan(cluster);
  if (Object.keys(written).length === 0) refuse(invalid("Must specify a field to update."));
  const patch = pickChanged(mergeBlocks(pool.attributes, written), written);
  const { operation } = await call.operations.update(pool, patch, { name, request: patch });
  return renderOperation(call, operation);
}

/** Returns the attributes that an update of a node pool sets. The request's format differs from that of the pool itself. */
function readUpdate(call: ApiCall, cluster: CloudRecord): ValueMap {
  const body = objectOf(call.body);
  const { nodeVersion, locations, upgradeSettings, labels, taints, tags, resourceLabels } = body;
  const current = textOf(cluster.attributes["master_version"]);
  const own = (name: string): Readonly<Record<string, unknown>> => (body[name] === undefined ? {} : { [name]: body[name] });
  return writeFields(nodePoolMapping, {
    ...(nodeVersion === undefined ? {} : { version: readVersion(textOf(nodeVersion), current) }),
    ...(locations === undefined ? {} : { locations }),
    ...(upgradeSettings === undefined ? {} : { upgradeSettings }),
    config: {
      ...["machineType", "diskType", "diskSizeGb", "imageType", "workloadMetadataConfig", "accelerators"].reduce(
        (sum, name) => ({ ...sum, ...own(name) }),
        {},
      ),
      ...(labels === undefined ? {} : { labels: objectOf(labels)["labels"] ?? {} }),
      ...(taints === undefined ? {} : { taints: objectOf(taints)["taints"] ?? [] }),
      ...(tags === undefined ? {} : { tags: objectOf(tags)["tags"] ?? [] }),
      ...(resourceLabels === undefined ? {} : { resourceLabels: objectOf(resourceLabels)["labels"] ?? {} }),
    },
  });
}

function pick({ body }: ApiCall, names: readonly string[]): Readonly<Record<string, unknown>> {
  const given = objectOf(body);
  return Object.fromEntries(names.map((name) => [name, given[name] ?? {}]));
}

const pendingWords = { create: "PROVISIONING", update: "RECONCILING", delete: "STOPPING" } as const;

/** Renders a node pool. A pool in a cluster that is being created or deleted shares the cluster's status. */
export function describePool(call: ApiCall, cluster: CloudRecord, pool: CloudRecord): Record<string, unknown> {
  const whole = call.operations.findPending(cluster);
  const pending = call.operations.findPending(pool) ?? (whole?.verb === "update" ? undefined : whole);
  const { instanceGroupUrls, ...rest } = readFields(nodePoolMapping, pool);
  return {
    ...rest,
    locations: zonesOf(pool.attributes, cluster.attributes),
    ...(pending?.verb === "create" ? {} : { instanceGroupUrls }),
    status: pending === undefined ? "RUNNING" : pendingWords[pending.verb],
    selfLink: `https://container.googleapis.com/v1/${pool.id}`,
    podIpv4CidrSize: 24,
  };
}
