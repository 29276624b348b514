import type { CallOptions, CreateOptions, WaitOptions } from "../../library/call-options.ts";
import { checkCount, checkText, deriveToken, readToken } from "../../library/check-request.ts";
import type { ClusterInfo, ClusterRequest, Clusters, KubeconfigOptions } from "../../library/clusters.ts";
import { createCloudFault, isCloudFault, orUndefined, refuseRequest } from "../../library/errors.ts";
import { inParallel } from "../../library/in-parallel.ts";
import { renderExecKubeconfig, renderTokenKubeconfig } from "../../library/render-kubeconfig.ts";
import { addLeft, tellLeft, type Leftover } from "../../library/tell-left.ts";
import { minorOf } from "../../library/versions.ts";
import { waitFor } from "../../library/wait-for.ts";
import { createClusterToken } from "../cluster-token.ts";
import { tokenTag, type AwsContext } from "./context.ts";
import { checkOffer, checkPool, createNodegroup } from "./create-nodegroup.ts";
import { deleteCluster } from "./delete-cluster.ts";
import { describeCluster, listClusters, listEnabledRegions, listNodePools, toClusterInfo, type EksPlace } from "./read-eks.ts";
import { describeReason, isReady } from "./readiness.ts";
import { readClusterRef } from "./references.ts";
import { cleanUpRole, ensureRole, whileRoleIsNew } from "./roles.ts";

const createMs = 60 * 60_000;
const readyMs = 30 * 60_000;

/** A new cluster may be missing from responses for a while. */
const appearMs = 2 * 60_000;

/** Finds the region and name of a cluster by its name or ARN. */
export interface ClusterFinder {
  /** Throws `clouds.not_found` if there is no such cluster. */
  locate(ref: string, options: CallOptions): Promise<EksPlace>;
}

/** Creates the library's client for EKS clusters. */
export function createClusters(context: AwsContext): Clusters & ClusterFinder {
  // A name is looked up in the client's region, and in any other region in which this client created a cluster with that name.
  const created = new Map<string, Set<string>>();
  const get = async (ref: string, { signal }: CallOptions = {}): Promise<ClusterInfo> => {
    const { name, region } = readClusterRef(ref);
    const regions = region === undefined ? [...new Set([context.options.region, ...(created.get(name) ?? [])])] : [region];
    const results = await Promise.allSettled(regions.map((each) => readCluster(context, { name, region: each }, signal)));
    const clusters = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    const [failure = failures[0]] = failures.filter((reason) => !isCloudFault(reason, "not_found"));
    const [found] = clusters;
    if (found === undefined || (failure !== undefined && !isCloudFault(failure, "not_found"))) throw failure;
    checkAccount(ref, found.id);
    if (clusters.length > 1)
      throw refuseRequest("aws", `several clusters are called ${name}; pass an ID: ${clusters.map(({ id }) => id).join(", ")}`);
    return found;
  };
  const locate = async (ref: string, options: CallOptions): Promise<EksPlace> => {
    const { name, region } = readClusterRef(ref);
    if (region !== undefined) {
      const found = await orUndefined(describeCluster(context, { name, region }, options.signal));
      if (found?.arn !== undefined) checkAccount(ref, found.arn);
      return { name, region };
    }
    if (!created.has(name)) return { name, region: context.options.region };
    return { name, region: (await get(ref, options)).region };
  };
  return {
    get,
    find: (ref, options) => orUndefined(get(ref, options)),
    locate,
    async list({ region, signal } = {}) {
      if (region !== "all") return listClusters(context, region ?? context.options.region, signal);
      const regions = await listEnabledRegions(context, signal);
      return (await inParallel(regions, 4, (each) => listClusters(context, each, signal))).flat();
    },
    async create(request, options = {}) {
      const place = { name: request.name, region: request.region ?? context.options.region };
      const known = created.get(place.name) ?? new Set();
      created.set(place.name, known.add(place.region));
      return createCluster(context, place, request, options);
    },
    async delete(ref, options = {}) {
      const { name } = readClusterRef(ref);
      const place = await orUndefined(locate(ref, options));
      await deleteCluster(context, place ?? { name, region: context.options.region }, options);
      if (place !== undefined) created.get(name)?.delete(place.region);
    },
    async waitReady(ref, options = {}) {
      return waitReady(context, await locate(ref, options), options);
    },
    async kubeconfig(ref, options = {}) {
      return renderKubeconfig(context, await locate(ref, options), options);
    },
  };
}

/** EKS looks up clusters by name only. An ARN from another account would therefore find a cluster of the same name in this account. */
function checkAccount(ref: string, arn: string): void {
  const [expected, actual] = [ref, arn].map((each) => each.split(":")[4]);
  if (!ref.startsWith("arn:") || expected === actual) return;
  throw refuseRequest("aws", `${ref} belongs to account ${expected}, but the credentials belong to account ${actual}`);
}

/** Reads a cluster with its node pools. Throws `clouds.not_found` if it does not exist. */
export async function readCluster(context: AwsContext, place: EksPlace, signal?: AbortSignal): Promise<ClusterInfo> {
  const cluster = await describeCluster(context, place, signal);
  const pools = (await orUndefined(listNodePools(context, place, signal))) ?? [];
  return toClusterInfo(cluster, place.region, pools);
}

async function createCluster(
  context: AwsContext,
  place: EksPlace,
  request: ClusterRequest,
  options: CreateOptions,
): Promise<ClusterInfo> {
  const { signal, wait = "accepted", timeoutMs = createMs } = options;
  const pool = checkCluster(request);
  const token = readToken("aws", options);
  const endMs = context.clock.now() + timeoutMs;
  if (pool !== undefined) await checkOffer(context, { ...place, subnets: request.subnets ?? [] }, pool, signal);
  await acceptCluster(context, place, request, token, signal);
  const limit = () => ({ timeoutMs: Math.max(0, endMs - context.clock.now()), ...(signal === undefined ? {} : { signal }) });
  return tellLeft(describeLeft(context, place), async () => {
    if (pool !== undefined) {
      const { subnets } = await waitActive(context, place, limit());
      await createNodegroup(context, { ...place, subnets }, pool, { token: deriveToken(token, "pool"), signal });
    }
    return wait === "ready" ? waitReady(context, place, limit(), appearMs) : readNew(context, place, signal);
  });
}

/** Deleting a cluster also deletes the roles that were created with it. */
function describeLeft({ options }: AwsContext, { name, region }: EksPlace): Leftover {
  const elsewhere = region === options.region ? "" : ` of a client with the region ${region}`;
  return { what: `the EKS cluster ${name} in ${region}`, call: `clusters.delete("${name}")${elsewhere}` };
}

/** Checks a request before anything is sent, and returns its first pool. */
function checkCluster({ name, region, zone, version, nodeCount = 1, nodeType, subnets = [], pool }: ClusterRequest) {
  checkText("aws", "the cluster's name", name);
  readClusterRef(name);
  if (name.startsWith("arn:")) throw refuseRequest("aws", "a new cluster needs a name, not an ARN");
  if (region !== undefined) checkText("aws", "region", region);
  if (zone !== undefined) throw refuseRequest("aws", "EKS has no zonal clusters; choose zones through the subnets");
  if (version !== undefined) minorOf("aws", version);
  checkCount("aws", "nodeCount", nodeCount);
  if (subnets.length < 2)
    throw refuseRequest(
      "aws",
      `EKS requires subnets in at least two zones; set at least two subnets in the request for the cluster ${name}`,
    );
  if (nodeCount === 0) return undefined;
  const first = { ...pool, count: nodeCount, ...(nodeType === undefined ? {} : { type: nodeType }) };
  checkPool(name, first);
  return first;
}

/**
 * Sends the request to create a cluster, with a new role if none is given. If an earlier call with the same token created the cluster, that
 * cluster is kept.
 */
async function acceptCluster(
  context: AwsContext,
  place: EksPlace,
  request: ClusterRequest,
  token: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { name, region } = place;
  const { version, subnets = [], endpointAccess: access, tags = {}, native = {} } = request;
  const existing = await orUndefined(describeCluster(context, place, signal));
  if (existing !== undefined) return checkOwnCluster(place, existing.tags, token);
  const { eksRoleArn } = context.options;
  const role = eksRoleArn === undefined ? await ensureRole(context, { cluster: name, region }, "cluster", signal) : undefined;
  const vpc = {
    subnetIds: [...subnets],
    ...(access?.public === undefined ? {} : { endpointPublicAccess: access.public }),
    ...(access?.private === undefined ? {} : { endpointPrivateAccess: access.private }),
    ...(access?.cidrs === undefined ? {} : { publicAccessCidrs: [...access.cidrs] }),
  };
  const given = native as { readonly resourcesVpcConfig?: object };
  const send = async (): Promise<void> =>
    context.call({ doing: `create the EKS cluster ${name} in ${region}`, region, signal }, async (clients) => {
      const { CreateClusterCommand } = await import("@aws-sdk/client-eks");
      const command = new CreateClusterCommand({
        ...native,
        name,
        roleArn: eksRoleArn ?? role?.arn,
        resourcesVpcConfig: { ...given.resourcesVpcConfig, ...vpc },
        clientRequestToken: deriveToken(token, "cluster"),
        tags: { ...context.options.tags, ...tags, [tokenTag]: token },
        ...(version === undefined ? {} : { version: minorOf("aws", version) }),
      });
      await (await clients.eks()).send(command);
    });
  try {
    await whileRoleIsNew(context, role !== undefined, send, signal);
  } catch (error) {
    if (isCloudFault(error, "conflict")) {
      const taken = await orUndefined(describeCluster(context, place, signal));
      if (taken !== undefined) return checkOwnCluster(place, taken.tags, token);
    }
    if (role?.isNew !== true || !isCloudFault(error)) throw error;
    // After any other error, EKS may have accepted the request, and the cluster needs its role.
    const isDecided = isCloudFault(error, "conflict", "denied", "invalid", "not_found", "quota");
    if (!isDecided) throw addLeft(error, { what: `the role ${role.arn}`, call: describeLeft(context, place).call });
    await cleanUpRole(context, { cluster: name, region }, "cluster", signal);
    throw error;
  }
}

function checkOwnCluster({ name, region }: EksPlace, tags: Readonly<Record<string, string>> | undefined, token: string): void {
  if (tags?.[tokenTag] === token) return;
  throw createCloudFault(`the EKS cluster ${name} already exists in ${region}, and this call did not create it`, {
    cloud: "aws",
    category: "conflict",
  });
}

async function readNew(context: AwsContext, place: EksPlace, signal: AbortSignal | undefined): Promise<ClusterInfo> {
  return waitFor(context.clock, {
    cloud: "aws",
    timeoutMs: appearMs,
    signal,
    notFoundMs: appearMs,
    describe: () => `the EKS cluster ${place.name} has not appeared`,
    read: () => readCluster(context, place, signal),
    isDone: () => true,
  });
}

/** Waits until the control plane is active, regardless of the node pools. */
async function waitActive(context: AwsContext, place: EksPlace, options: WaitOptions): Promise<ClusterInfo> {
  const { signal, timeoutMs = readyMs } = options;
  return waitFor(context.clock, {
    cloud: "aws",
    timeoutMs,
    signal,
    notFoundMs: appearMs,
    describe: (last) => `the EKS cluster ${place.name} is still ${last?.nativeStatus ?? "unknown"}`,
    read: async () => toClusterInfo(await describeCluster(context, place, signal), place.region, []),
    isDone: (cluster) => isReady(cluster, options),
  });
}

/** Waits until the cluster and its node pools are usable. */
async function waitReady(context: AwsContext, place: EksPlace, options: WaitOptions, notFoundMs = 0): Promise<ClusterInfo> {
  const { signal, timeoutMs = readyMs } = options;
  return waitFor(context.clock, {
    cloud: "aws",
    timeoutMs,
    signal,
    notFoundMs,
    describe: (last) => describeUnready(place, last),
    read: () => readCluster(context, place, signal),
    isDone: (cluster) =>
      isReady(cluster, options) && cluster.nodePools.every((pool) => pool.status !== "deleting" && isReady(pool, {})),
  });
}

function describeUnready({ name }: EksPlace, cluster: ClusterInfo | undefined): string {
  const [pool] = (cluster?.nodePools ?? []).filter(({ status }) => status !== "running");
  if (cluster?.status !== "running" || pool === undefined)
    return `the EKS cluster ${name} is still ${cluster?.nativeStatus ?? "unknown"}`;
  return `the node group ${pool.name} of the EKS cluster ${name} is still ${pool.nativeStatus}${describeReason(pool)}`;
}

async function renderKubeconfig(
  context: AwsContext,
  place: EksPlace,
  { mode = "exec", signal }: KubeconfigOptions,
): Promise<string> {
  const { name, region } = place;
  const { arn = name, endpoint, certificateAuthority, status } = await describeCluster(context, place, signal);
  if (endpoint === undefined || certificateAuthority?.data === undefined)
    throw createCloudFault(`the EKS cluster ${name} is ${status ?? "new"} and has no endpoint yet; wait until it is ready`, {
      cloud: "aws",
      category: "conflict",
    });
  const connection = { context: arn, endpoint, certificateAuthority: certificateAuthority.data };
  if (mode === "exec") {
    const args = ["eks", "get-token", "--cluster-name", name, "--region", region, "--output", "json"];
    return renderExecKubeconfig(connection, { command: "aws", args });
  }
  const { source, endpoints } = context;
  const token = await createClusterToken(source, { cluster: name, region, endpoints });
  return renderTokenKubeconfig(connection, token.reveal());
}
