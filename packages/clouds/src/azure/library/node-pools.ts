import type { CreateOptions, WaitOptions } from "../../library/call-options.ts";
import { checkCount, readToken } from "../../library/check-request.ts";
import { createCloudFault, isCloudFault, orUndefined } from "../../library/errors.ts";
import type { NodePoolInfo, NodePoolRequest, NodePools } from "../../library/node-pools.ts";
import { tellLeft } from "../../library/tell-left.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { AgentPool, ManagedClusterAgentPoolProfileProperties } from "../models.ts";
import { changeResource, toPoolBody } from "./change-resource.ts";
import { checkMachineType } from "./check-machine-type.ts";
import { appearMs } from "./clusters.ts";
import { tokenTag, type AzureContext } from "./context.ts";
import { resolveVersion } from "./create-cluster.ts";
import { deleteResource } from "./delete-resource.ts";
import { libraryOperations } from "./operations.ts";
import { clusterPath, getCluster, getPool, listPools, locateCluster, toPoolInfo } from "./read-aks.ts";
import { describeReason, isReady, limitWaits } from "./readiness.ts";
import { readPoolName, type AzurePlace } from "./references.ts";
import { changeScaling, checkPool, renderPool, renderTaint } from "./render-pool.ts";

const createMs = 60 * 60_000;
const readyMs = 30 * 60_000;

/** Creates the library's client for AKS agent pools. */
export function createNodePools(context: AzureContext): NodePools {
  const read = async (place: AzurePlace, pool: string, signal: AbortSignal | undefined): Promise<NodePoolInfo> => {
    const [cluster, found] = await Promise.all([getCluster(context, place, signal), getPool(context, place, pool, signal)]);
    return toPoolInfo(cluster, { ...found.properties, name: found.name ?? pool });
  };
  const waitReady = async (place: AzurePlace, pool: string, options: WaitOptions, notFoundMs = 0): Promise<NodePoolInfo> => {
    const what = `the agent pool ${pool} of the AKS cluster ${place.name}`;
    return waitFor(context.clock, {
      cloud: "azure",
      timeoutMs: options.timeoutMs ?? readyMs,
      signal: options.signal,
      notFoundMs,
      describe: (last) => `${what} is still ${last?.nativeStatus ?? "unknown"}${describeReason(last ?? {})}`,
      read: (signal) => read(place, pool, signal),
      isDone: (observed) => isReady({ ...observed, name: what }, options),
    });
  };
  const finish = async (place: AzurePlace, pool: string, options: CreateOptions, left: WaitOptions): Promise<NodePoolInfo> =>
    options.wait === "ready" ? waitReady(place, pool, left, appearMs) : read(place, pool, options.signal);
  const change = async (
    cluster: string,
    ref: string,
    options: CreateOptions,
    render: (current: ManagedClusterAgentPoolProfileProperties) => Record<string, unknown> | undefined,
  ): Promise<NodePoolInfo> => {
    const limits = limitWaits(context, options.timeoutMs ?? createMs, options);
    const place = await locateCluster(context, cluster, options.signal);
    const pool = readPoolName(place, ref);
    await changePool(context, place, pool, limits(), render);
    return finish(place, pool, options, limits());
  };
  return {
    async create(cluster, pool, options = {}) {
      const limits = limitWaits(context, options.timeoutMs ?? createMs, options);
      const place = await locateCluster(context, cluster, options.signal);
      const name = await acceptPool(context, place, pool, options, limits);
      const what = `the agent pool ${name} of the AKS cluster ${place.name}`;
      return tellLeft({ what, call: `nodePools.delete("${cluster}", "${name}")` }, () => finish(place, name, options, limits()));
    },
    async get(cluster, pool, { signal } = {}) {
      const place = await locateCluster(context, cluster, signal);
      return read(place, readPoolName(place, pool), signal);
    },
    async list(cluster, { signal } = {}) {
      return listPools(context, await locateCluster(context, cluster, signal), signal);
    },
    async scale(cluster, pool, count, options = {}) {
      checkCount("azure", "the number of nodes", count, { most: 1000 });
      return change(cluster, pool, options, (current) => {
        if (current.count === count) return undefined;
        const { enableAutoScaling, minCount = count, maxCount = count } = current;
        if (enableAutoScaling !== true) return { count };
        return { count, minCount: Math.min(minCount, count), maxCount: Math.max(maxCount, count) };
      });
    },
    async update(cluster, pool, { min, max, labels, taints, tags }, options = {}) {
      return change(cluster, pool, options, (current) => ({
        ...(min === undefined && max === undefined
          ? {}
          : changeScaling(current, { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) })),
        ...(labels === undefined ? {} : { nodeLabels: labels }),
        ...(taints === undefined ? {} : { nodeTaints: taints.map(renderTaint) }),
        ...(tags === undefined ? {} : { tags: { ...context.options.tags, ...tags, ...keepOwn(current.tags) } }),
      }));
    },
    async delete(cluster, ref, options = {}) {
      const { signal } = options;
      const limits = limitWaits(context, options.timeoutMs ?? readyMs, options);
      const place = await orUndefined(locateCluster(context, cluster, signal));
      if (place === undefined) return;
      const pool = readPoolName(place, ref);
      const found = await orUndefined(read(place, pool, signal));
      if (found === undefined) return;
      if (found.status !== "deleting") await options.drain?.(found.nodeSelector, signal);
      const { wait } = options;
      await deletePool(context, place, pool, { ...limits(), ...(wait === undefined ? {} : { wait }) });
    },
    async waitReady(cluster, pool, options = {}) {
      const limits = limitWaits(context, options.timeoutMs ?? readyMs, options);
      const place = await locateCluster(context, cluster, options.signal);
      return waitReady(place, readPoolName(place, pool), limits());
    },
  };
}

/** Returns the platform's tags, which are kept when a caller replaces the tags of a pool. */
function keepOwn(tags: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).filter(([key]) => key.startsWith("cloudwright:")));
}

/** Sends the request to create an agent pool, unless an earlier call with the same token created it. Returns the pool's name. */
async function acceptPool(
  context: AzureContext,
  place: AzurePlace,
  pool: NodePoolRequest,
  options: CreateOptions,
  limits: () => WaitOptions & { readonly timeoutMs: number },
): Promise<string> {
  const { signal } = options;
  const name = checkPool(place, pool);
  const token = readToken("azure", options);
  const what = `the agent pool ${name} of the AKS cluster ${place.name}`;
  const path = { ...clusterPath(place), agentPoolName: name };
  const isMade = async (): Promise<boolean> => {
    const found = await context.api.find<AgentPool>(`read ${what}`, libraryOperations.getPool, { path, signal });
    if (found === undefined) return false;
    if (found.properties?.tags?.[tokenTag] === token) return true;
    throw createCloudFault(`${what} already exists, and this call did not create it`, { cloud: "azure", category: "conflict" });
  };
  if (await isMade()) return name;
  const { location, properties } = await getCluster(context, place, signal);
  await checkMachineType(context, { type: pool.type, region: location }, signal);
  const version =
    (await resolveVersion(context, location, pool.version, signal)) ??
    properties?.currentKubernetesVersion ??
    properties?.kubernetesVersion;
  const body = { properties: renderPool(context, pool, { token, version, mode: "User" }) };
  const headers = { "if-none-match": "*" };
  await waitFor(context.clock, {
    cloud: "azure",
    ...limits(),
    describe: () => `the AKS cluster ${place.name} is still being changed, so ${what} cannot be created`,
    async read() {
      try {
        await context.api.call(`create ${what}`, libraryOperations.putPool, { path, body, headers, signal });
        return true;
      } catch (error) {
        // Azure rejects a new pool while it is changing the cluster. It also rejects a repeated request whose first response was lost.
        if (isCloudFault(error, "conflict", "unavailable") && (await isMade())) return true;
        if (!isCloudFault(error, "conflict")) throw error;
        return false;
      }
    },
    isDone: (isAccepted) => isAccepted,
  });
  return name;
}

/** Changes properties of an agent pool. */
export async function changePool(
  context: AzureContext,
  place: AzurePlace,
  pool: string,
  limits: WaitOptions & { readonly timeoutMs: number },
  render: (current: ManagedClusterAgentPoolProfileProperties) => Record<string, unknown> | undefined,
): Promise<void> {
  const what = `the agent pool ${pool} of the AKS cluster ${place.name}`;
  const path = { ...clusterPath(place), agentPoolName: pool };
  await changeResource(context, limits, {
    what,
    read: () => getPool(context, place, pool, limits.signal),
    render(current) {
      const changed = render(current.properties ?? {});
      return changed === undefined || Object.keys(changed).length === 0 ? undefined : toPoolBody(current, changed);
    },
    send: (body, headers) =>
      context.api.call(`change ${what}`, libraryOperations.putPool, { path, body, headers, signal: limits.signal }),
  });
}

async function deletePool(
  context: AzureContext,
  place: AzurePlace,
  pool: string,
  options: WaitOptions & { readonly timeoutMs: number; readonly wait?: "accepted" | "gone" },
): Promise<void> {
  const what = `the agent pool ${pool} of the AKS cluster ${place.name}`;
  const request = { path: { ...clusterPath(place), agentPoolName: pool }, signal: options.signal };
  await deleteResource(context, options, {
    what,
    read: async () => {
      const found = await context.api.find<AgentPool>(`read ${what}`, libraryOperations.getPool, request);
      return found === undefined ? undefined : (found.properties?.provisioningState ?? "");
    },
    send: () => context.api.call(`delete ${what}`, libraryOperations.deletePool, request),
  });
}
