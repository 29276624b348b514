import type { UpdateNodegroupConfigCommandInput } from "@aws-sdk/client-eks";
import type { CallOptions, CreateOptions, WaitOptions } from "../../library/call-options.ts";
import { checkCount, checkScale, deriveToken, readToken } from "../../library/check-request.ts";
import { isCloudFault, orUndefined } from "../../library/errors.ts";
import type { NodePoolChange, NodePoolInfo, NodePools } from "../../library/node-pools.ts";
import { tellLeft } from "../../library/tell-left.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { ClusterFinder } from "./clusters.ts";
import type { AwsContext } from "./context.ts";
import { checkOffer, checkPool, createNodegroup, renderTaint } from "./create-nodegroup.ts";
import { deleteNodegroup } from "./delete-cluster.ts";
import { describeCluster, describeNodegroup, listNodePools, toNodePoolInfo, type EksPlace } from "./read-eks.ts";
import { describeReason, isReady } from "./readiness.ts";
import { readPoolRef } from "./references.ts";

const createMs = 60 * 60_000;
const readyMs = 30 * 60_000;
const appearMs = 2 * 60_000;

/** Creates the library's client for EKS node groups. */
export function createNodePools(context: AwsContext, { locate }: ClusterFinder): NodePools {
  const read = async (place: EksPlace, pool: string, signal?: AbortSignal): Promise<NodePoolInfo> =>
    toNodePoolInfo(await describeNodegroup(context, place, readPoolRef(place.name, pool), signal));
  const finish = async (place: EksPlace, pool: string, options: CreateOptions): Promise<NodePoolInfo> => {
    const { wait = "accepted", timeoutMs = createMs } = options;
    return wait === "ready"
      ? waitPoolReady(context, place, pool, { ...options, timeoutMs }, appearMs)
      : read(place, pool, options.signal);
  };
  return {
    async create(cluster, pool, options = {}) {
      const place = await locate(cluster, options);
      checkPool(place.name, pool);
      const token = deriveToken(readToken("aws", options), "pool");
      const { resourcesVpcConfig } = await describeCluster(context, place, options.signal);
      const at = { ...place, subnets: resourcesVpcConfig?.subnetIds ?? [] };
      await checkOffer(context, at, pool, options.signal);
      const name = await createNodegroup(context, at, pool, { token, signal: options.signal });
      const what = `the node group ${name} of the EKS cluster ${place.name}`;
      return tellLeft({ what, call: `nodePools.delete("${cluster}", "${name}")` }, () => finish(place, name, options));
    },
    async get(cluster, pool, options = {}) {
      return read(await locate(cluster, options), pool, options.signal);
    },
    async list(cluster, options = {}) {
      return listNodePools(context, await locate(cluster, options), options.signal);
    },
    async scale(cluster, pool, count, options = {}) {
      checkCount("aws", "the number of nodes", count);
      const place = await locate(cluster, options);
      const { name, count: now, min = 0, max = 1 } = await read(place, pool, options.signal);
      const scalingConfig = { desiredSize: count, minSize: Math.min(min, count), maxSize: Math.max(max, count, 1) };
      if (count !== now) await changeNodegroup(context, place, name, { scalingConfig }, options);
      return finish(place, name, options);
    },
    async update(cluster, pool, change, options = {}) {
      const place = await locate(cluster, options);
      const name = readPoolRef(place.name, pool);
      await updateNodegroup(context, place, name, change, options);
      return finish(place, name, options);
    },
    async delete(cluster, pool, options = {}) {
      const place = await orUndefined(locate(cluster, options));
      if (place === undefined) return;
      const name = readPoolRef(place.name, pool);
      const found = await orUndefined(read(place, name, options.signal));
      if (found === undefined) return;
      if (found.status !== "deleting") await options.drain?.(found.nodeSelector, options.signal);
      await deleteNodegroup(context, place, name, options);
    },
    async waitReady(cluster, pool, options = {}) {
      const place = await locate(cluster, options);
      return waitPoolReady(context, place, readPoolRef(place.name, pool), options);
    },
  };
}

/** Waits until a node group is active. */
export async function waitPoolReady(
  context: AwsContext,
  place: EksPlace,
  pool: string,
  options: WaitOptions,
  notFoundMs = 0,
): Promise<NodePoolInfo> {
  const { signal, timeoutMs = readyMs } = options;
  return waitFor(context.clock, {
    cloud: "aws",
    timeoutMs,
    signal,
    notFoundMs,
    describe: (last) =>
      `the node group ${pool} of the EKS cluster ${place.name} is still ${last?.nativeStatus ?? "unknown"}${describeReason(last ?? {})}`,
    read: async () => toNodePoolInfo(await describeNodegroup(context, place, pool, signal)),
    isDone: (observed) => isReady(observed, options),
  });
}

type ConfigChange = Pick<UpdateNodegroupConfigCommandInput, "scalingConfig" | "labels" | "taints">;

/** Sends a change to a node group, and repeats it while EKS rejects it because of another change in progress. */
export async function changeNodegroup(
  context: AwsContext,
  { name: clusterName, region }: EksPlace,
  nodegroupName: string,
  change: ConfigChange,
  options: CreateOptions,
): Promise<void> {
  const { signal, timeoutMs = createMs } = options;
  const clientRequestToken = deriveToken(readToken("aws", options), JSON.stringify(change));
  await waitFor(context.clock, {
    cloud: "aws",
    timeoutMs,
    signal,
    describe: () => `the node group ${nodegroupName} of the EKS cluster ${clusterName} is still being changed`,
    async read() {
      try {
        const doing = `change the node group ${nodegroupName} of the EKS cluster ${clusterName}`;
        await context.call({ doing, region, signal }, async (clients) => {
          const { UpdateNodegroupConfigCommand } = await import("@aws-sdk/client-eks");
          const input = { clusterName, nodegroupName, clientRequestToken, ...change };
          await (await clients.eks()).send(new UpdateNodegroupConfigCommand(input));
        });
        return true;
      } catch (error) {
        if (isCloudFault(error, "conflict")) return false;
        throw error;
      }
    },
    isDone: (isAccepted) => isAccepted,
  });
}

async function updateNodegroup(
  context: AwsContext,
  place: EksPlace,
  name: string,
  { min, max, labels, taints, tags }: NodePoolChange,
  options: CreateOptions,
): Promise<void> {
  const group = await describeNodegroup(context, place, name, options.signal);
  const config: ConfigChange = {
    ...(min === undefined && max === undefined ? {} : { scalingConfig: rescale(group.scalingConfig ?? {}, min, max) }),
    ...(labels === undefined
      ? {}
      : {
          labels: {
            addOrUpdateLabels: { ...labels },
            removeLabels: Object.keys(group.labels ?? {}).filter((key) => !Object.hasOwn(labels, key)),
          },
        }),
    ...(taints === undefined ? {} : { taints: compareTaints(group.taints ?? [], taints.map(renderTaint)) }),
  };
  if (Object.keys(config).length > 0) await changeNodegroup(context, place, name, config, options);
  if (tags !== undefined) await setTags(context, place, group, tags, options);
}

function rescale({ desiredSize = 0, minSize = 0, maxSize = 1 }, min = minSize, max = maxSize) {
  checkScale("aws", { count: Math.min(Math.max(desiredSize, min), max), min, max });
  return { minSize: min, maxSize: max, desiredSize: Math.min(Math.max(desiredSize, min), max) };
}

type EksTaint = ReturnType<typeof renderTaint>;

function compareTaints(now: readonly object[], desired: readonly EksTaint[]) {
  const keyOf = ({ key, effect }: Partial<EksTaint>): string => `${key} ${effect}`;
  const kept = new Set(desired.map(keyOf));
  return {
    addOrUpdateTaints: [...desired],
    removeTaints: (now as readonly EksTaint[]).filter((taint) => !kept.has(keyOf(taint))),
  };
}

/** Replaces the tags of a node group. Keeps the tags that the library or AWS set. */
async function setTags(
  context: AwsContext,
  { region }: EksPlace,
  {
    nodegroupArn: resourceArn = "",
    tags: now = {},
  }: { nodegroupArn?: string | undefined; tags?: Record<string, string> | undefined },
  tags: Readonly<Record<string, string>>,
  { signal }: CallOptions,
): Promise<void> {
  const desired = { ...context.options.tags, ...tags };
  const removed = Object.keys(now).filter((key) => !Object.hasOwn(desired, key) && !/^(cloudwright|aws|eks):/.test(key));
  await context.call({ doing: `tag ${resourceArn}`, region, signal }, async (clients) => {
    const { TagResourceCommand, UntagResourceCommand } = await import("@aws-sdk/client-eks");
    const client = await clients.eks();
    if (Object.keys(desired).length > 0) await client.send(new TagResourceCommand({ resourceArn, tags: desired }));
    if (removed.length > 0) await client.send(new UntagResourceCommand({ resourceArn, tagKeys: removed }));
  });
}
