import type { CreateOptions, DeleteOptions, WaitOptions } from "../../library/call-options.ts";
import { checkCount, checkScale, deriveToken, readToken } from "../../library/check-request.ts";
import { createCloudFault, isCloudFault, refuseRequest, orUndefined } from "../../library/errors.ts";
import type { NodePoolChange, NodePoolInfo, NodePoolRequest, NodePools } from "../../library/node-pools.ts";
import { tellLeft } from "../../library/tell-left.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { Cluster, NodePool } from "../models.ts";
import { listVersions } from "./available-versions.ts";
import { checkMachineType } from "./check-machine-type.ts";
import { appearMs } from "./clusters.ts";
import type { GcpContext } from "./context.ts";
import { deleteWhenFree } from "./delete-when-free.ts";
import { replaceLabels, tokenTag, toTags } from "./labels.ts";
import { changeCluster, checkOperation, isOperationDone, type GkeChange, type GkeOperation } from "./operations.ts";
import { chooseNodeZones, spreadNodes, type Spread } from "./places.ts";
import { getCluster, getPool, locate, pathOfCluster, readPool, readPoolInfo, zonesOf, type GkePlace } from "./read-gke.ts";
import { describeReason, isReady } from "./readiness.ts";
import { readPoolRef } from "./references.ts";
import { checkPool, nameOfPool, renderAutoscaling, renderPool, renderTaint } from "./render-pool.ts";

const createMs = 60 * 60_000;
const readyMs = 30 * 60_000;

/** Creates the library's client for GKE node pools. */
export function createNodePools(context: GcpContext): NodePools {
  const finish = async (place: GkePlace, pool: string, options: CreateOptions): Promise<NodePoolInfo> => {
    const { wait = "accepted", timeoutMs = createMs, signal } = options;
    return wait === "ready"
      ? waitPoolReady(context, place, pool, { ...options, timeoutMs }, { notFoundMs: appearMs })
      : readNew(context, place, pool, signal);
  };
  return {
    async create(ref, pool, options = {}) {
      checkPool(pool);
      const place = await locate(context, ref, options);
      const operation = await acceptPool(context, place, pool, options);
      const { wait = "accepted", timeoutMs = createMs, signal } = options;
      const name = nameOfPool(pool);
      const what = `the node pool ${name} of the GKE cluster ${place.name}`;
      return tellLeft({ what, call: `nodePools.delete("${ref}", "${name}")` }, () =>
        wait === "ready"
          ? waitPoolReady(context, place, name, { ...options, timeoutMs }, { notFoundMs: appearMs, operation })
          : readNew(context, place, name, signal),
      );
    },
    async get(ref, pool, options = {}) {
      const place = await locate(context, ref, options);
      return readPool(context, place, readPoolRef(place.name, pool), options.signal);
    },
    async list(ref, options = {}) {
      const place = await locate(context, ref, options);
      const cluster = await getCluster(context, place, options.signal);
      return Promise.all((cluster.nodePools ?? []).map((pool) => readPoolInfo(context, place, cluster, pool, options.signal)));
    },
    async scale(ref, pool, count, options = {}) {
      checkCount("gcp", "the number of nodes", count);
      const place = await locate(context, ref, options);
      const name = readPoolRef(place.name, pool);
      await sendAll(context, place, await planScale(context, place, name, count, options.signal), options);
      return finish(place, name, options);
    },
    async update(ref, pool, change, options = {}) {
      const place = await locate(context, ref, options);
      const name = readPoolRef(place.name, pool);
      const now = await getPool(context, place, name, options.signal);
      await sendAll(context, place, planUpdate(context, place, name, now, change), options);
      return finish(place, name, options);
    },
    async delete(ref, pool, options = {}) {
      const place = await orUndefined(locate(context, ref, options));
      if (place === undefined) return;
      const { signal } = options;
      const name = readPoolRef(place.name, pool);
      const found = await orUndefined(readPool(context, place, name, signal));
      if (found === undefined) return;
      if (found.status !== "deleting") await options.drain?.(found.nodeSelector, signal);
      await deletePool(context, place, name, { timeoutMs: readyMs, ...options });
    },
    async waitReady(ref, pool, options = {}) {
      const place = await locate(context, ref, options);
      return waitPoolReady(context, place, readPoolRef(place.name, pool), options);
    },
  };
}

/**
 * Sends the request to create a pool, and repeats it while GKE rejects it because of another change. Returns the name of the operation, or
 * undefined if an earlier call with the same token created the pool.
 */
async function acceptPool(
  context: GcpContext,
  place: GkePlace,
  pool: NodePoolRequest,
  options: CreateOptions,
): Promise<string | undefined> {
  const { signal, timeoutMs = createMs } = options;
  const name = nameOfPool(pool);
  const token = deriveToken(readToken("gcp", options), "pool");
  const cluster = await getCluster(context, place, signal);
  const isOwn = async (): Promise<boolean> => {
    const found = await orUndefined(getPool(context, place, name, signal));
    if (found === undefined) return false;
    if (toTags(found.config?.resourceLabels ?? {})[tokenTag] === token) return true;
    const message = `the node pool ${name} of the GKE cluster ${place.name} already exists, and this call did not create it`;
    throw createCloudFault(message, { cloud: "gcp", category: "conflict" });
  };
  if (await isOwn()) return undefined;
  const nodePool = await renderRequest(context, place, cluster, { pool, token, signal });
  const doing = `create the node pool ${name} of the GKE cluster ${place.name}`;
  return waitFor<string | undefined>(context.clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    describe: () => `the GKE cluster ${place.name} is still being changed`,
    async read() {
      try {
        const operation = await context.api.call<GkeOperation>(doing, {
          service: "container",
          action: "projects.locations.clusters.nodePools.create",
          method: "POST",
          path: `${pathOfCluster(place)}/nodePools`,
          body: { nodePool },
          signal,
        });
        checkOperation(doing, operation);
        return operation.name ?? "";
      } catch (error) {
        // The response to an earlier attempt may have been lost.
        if (isCloudFault(error, "conflict", "unavailable") && (await isOwn())) return "";
        if (isCloudFault(error, "conflict")) return undefined;
        throw error;
      }
    },
    isDone: (operation) => operation !== undefined,
  }).then((operation) => (operation === "" ? undefined : operation));
}

async function renderRequest(
  context: GcpContext,
  { location }: GkePlace,
  cluster: Cluster,
  { pool, token, signal }: { readonly pool: NodePoolRequest; readonly token: string; readonly signal: AbortSignal | undefined },
): Promise<NodePool> {
  const isFixed = (pool.zones ?? []).length > 0;
  const own = cluster.locations ?? [];
  const zones = isFixed || own.length === 0 ? await chooseNodeZones(context, location, pool.zones, signal) : own;
  const version =
    pool.version === undefined ? undefined : (await listVersions(context, location, signal)).chooseForNodes(pool.version);
  const spread = spreadNodes(pool.count, zones, isFixed);
  await checkMachineType(context, { type: pool.type, zones: spread.zones }, signal);
  return renderPool(context, pool, { ...spread, token, version });
}

/** Reads a pool that was just created or changed. */
async function readNew(
  context: GcpContext,
  place: GkePlace,
  pool: string,
  signal: AbortSignal | undefined,
): Promise<NodePoolInfo> {
  return waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs: appearMs,
    signal,
    notFoundMs: appearMs,
    describe: () => `the node pool ${pool} of the GKE cluster ${place.name} has not appeared`,
    read: () => readPool(context, place, pool, signal),
    isDone: () => true,
  });
}

/** Waits until a pool is running. A failed operation ends the wait. */
export async function waitPoolReady(
  context: GcpContext,
  place: GkePlace,
  pool: string,
  options: WaitOptions,
  { notFoundMs = 0, operation }: { readonly notFoundMs?: number; readonly operation?: string | undefined } = {},
): Promise<NodePoolInfo> {
  const { signal, timeoutMs = readyMs } = options;
  const what = `the node pool ${pool} of the GKE cluster ${place.name}`;
  let isFollowed = operation !== undefined;
  return waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    notFoundMs,
    describe: (last) => `${what} is still ${last?.nativeStatus ?? "unknown"}${describeReason(last ?? {})}`,
    async read() {
      if (isFollowed) isFollowed = !(await isOperationDone(context, place, operation ?? "", { doing: `create ${what}`, signal }));
      return readPool(context, place, pool, signal);
    },
    isDone: (observed) => isReady(observed, options),
  });
}

/** Sends changes one after the other. Waits for the last change to finish only if the caller requested this. */
async function sendAll(
  context: GcpContext,
  place: GkePlace,
  changes: readonly GkeChange[],
  { signal, timeoutMs = createMs, wait = "accepted" }: CreateOptions,
): Promise<void> {
  const endMs = context.clock.now() + timeoutMs;
  for (const [index, change] of changes.entries()) {
    const isAwaited = wait === "ready" || index < changes.length - 1;
    await changeCluster(context, place, change, { timeoutMs: Math.max(0, endMs - context.clock.now()), signal }, isAwaited);
  }
}

const prefix = "projects.locations.clusters.nodePools";

async function planScale(
  context: GcpContext,
  place: GkePlace,
  name: string,
  count: number,
  signal: AbortSignal | undefined,
): Promise<readonly GkeChange[]> {
  const cluster = await getCluster(context, place, signal);
  const pool = await getPool(context, place, name, signal);
  const info = await readPoolInfo(context, place, cluster, pool, signal);
  if (info.count === count) return [];
  const { zones, perZone } = respread(count, zonesOf(cluster, pool), cluster.locations ?? []);
  const doing = `scale the node pool ${name} of the GKE cluster ${place.name} to ${count} nodes`;
  const suffix = `/nodePools/${name}`;
  const { min = 0, max } = info;
  const isOutside = max !== undefined && (count < min || count > max);
  const autoscaling = renderAutoscaling(Math.min(min, count), Math.max(max ?? 1, count, 1), pool.config?.spot === true);
  return [
    ...(isOutside
      ? [
          {
            doing,
            action: `${prefix}.setAutoscaling`,
            method: "POST",
            suffix: `${suffix}:setAutoscaling`,
            body: { autoscaling },
          } as const,
        ]
      : []),
    ...(zones.length === info.zones.length
      ? []
      : [{ doing, action: `${prefix}.update`, method: "PUT", suffix, body: { locations: zones } } as const]),
    { doing, action: `${prefix}.setSize`, method: "POST", suffix: `${suffix}:setSize`, body: { nodeCount: perZone } },
  ];
}

/**
 * Spreads a new total over the zones of a pool. Empties a zone only if there are fewer nodes than zones, because volumes cannot follow
 * their pods into another zone. Adds zones of the cluster if the total cannot be spread evenly otherwise.
 */
function respread(count: number, zones: readonly string[], clusterZones: readonly string[]): Spread {
  if (zones.length === 0 || count % zones.length === 0) return { zones, perZone: count / Math.max(1, zones.length) };
  if (count < zones.length) return spreadNodes(count, zones, false);
  const wider = [...zones, ...clusterZones.filter((zone) => !zones.includes(zone))];
  for (let used = wider.length; used > zones.length; used -= 1)
    if (count % used === 0) return { zones: wider.slice(0, used), perZone: count / used };
  throw refuseRequest(
    "gcp",
    `the node pool has ${zones.length} zones with the same number of nodes in each, so the number of nodes must be a multiple of ${zones.length}, not ${count}`,
  );
}

function planUpdate(
  { options }: GcpContext,
  place: GkePlace,
  name: string,
  now: NodePool,
  { min, max, labels, taints, tags }: NodePoolChange,
): readonly GkeChange[] {
  const doing = `change the node pool ${name} of the GKE cluster ${place.name}`;
  const suffix = `/nodePools/${name}`;
  // GKE changes one of these fields per request.
  const bodies = [
    ...(labels === undefined ? [] : [{ labels: { labels } }]),
    ...(taints === undefined ? [] : [{ taints: { taints: taints.map(renderTaint) } }]),
    ...(tags === undefined
      ? []
      : [{ resourceLabels: { labels: replaceLabels(now.config?.resourceLabels ?? {}, { ...options.tags, ...tags }) } }]),
  ];
  const changes: readonly GkeChange[] = bodies.map((body) => ({
    doing,
    action: `${prefix}.update`,
    method: "PUT",
    suffix,
    body,
  }));
  if (min === undefined && max === undefined) return changes;
  const autoscaling = rescale(place, name, now, min, max);
  const scaling = { doing, action: `${prefix}.setAutoscaling`, method: "POST", suffix: `${suffix}:setAutoscaling` } as const;
  return [...changes, { ...scaling, body: { autoscaling } }];
}

function rescale({ name: cluster }: GkePlace, name: string, now: NodePool, min?: number, max?: number) {
  const {
    enabled = false,
    totalMinNodeCount = 0,
    totalMaxNodeCount = 0,
    minNodeCount = 0,
    maxNodeCount = 0,
  } = now.autoscaling ?? {};
  const zones = Math.max(1, (now.locations ?? []).length);
  const isTotal = totalMaxNodeCount > 0;
  const [least, most] = [
    min ?? (enabled ? (isTotal ? totalMinNodeCount : minNodeCount * zones) : 0),
    max ?? (enabled ? (isTotal ? totalMaxNodeCount : maxNodeCount * zones) : undefined),
  ];
  if (most === undefined)
    throw refuseRequest("gcp", `the node pool ${name} of the GKE cluster ${cluster} has no autoscaler; min requires max`);
  checkScale("gcp", { count: Math.max(least, 0), min: least, max: most });
  return renderAutoscaling(least, most, now.config?.spot === true);
}

/** Deletes a node pool. */
export async function deletePool(
  context: GcpContext,
  place: GkePlace,
  name: string,
  options: DeleteOptions & { readonly timeoutMs: number },
): Promise<void> {
  await deleteWhenFree(context, options, {
    what: `the node pool ${name} of the GKE cluster ${place.name}`,
    deleting: "STOPPING",
    read: async () => (await getPool(context, place, name, options.signal)).status ?? "",
    send: () => sendDelete(context, place, name, options.signal),
  });
}

async function sendDelete({ api }: GcpContext, place: GkePlace, pool: string, signal: AbortSignal | undefined): Promise<void> {
  const doing = `delete the node pool ${pool} of the GKE cluster ${place.name}`;
  const operation = await api.call<GkeOperation>(doing, {
    service: "container",
    action: `${prefix}.delete`,
    method: "DELETE",
    path: `${pathOfCluster(place)}/nodePools/${pool}`,
    signal,
  });
  checkOperation(doing, operation);
}
