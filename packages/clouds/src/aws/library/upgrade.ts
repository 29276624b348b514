import type { Update } from "@aws-sdk/client-eks";
import type { CallOptions } from "../../library/call-options.ts";
import { deriveToken, readToken } from "../../library/check-request.ts";
import type { ClusterInfo, UpgradeRequest } from "../../library/clusters.ts";
import { isCloudFault, refuseRequest, type CloudFault } from "../../library/errors.ts";
import type { NodePoolInfo } from "../../library/node-pools.ts";
import { checkUpgrade, minorOf } from "../../library/versions.ts";
import { waitFor } from "../../library/wait-for.ts";
import { describeStatusReason } from "../errors.ts";
import { readCluster } from "./clusters.ts";
import type { AwsContext } from "./context.ts";
import { describeCluster, describeNodegroup, type EksPlace } from "./read-eks.ts";

const upgradeMs = 2 * 60 * 60_000;

/** Upgrades a control plane, then its node groups one after the other. Components that already run the version are left unchanged. */
export async function upgradeCluster(
  context: AwsContext,
  place: EksPlace,
  request: UpgradeRequest,
  { signal }: CallOptions,
): Promise<ClusterInfo> {
  const { pools = "all", beforePool, timeoutMs = upgradeMs } = request;
  const version = minorOf("aws", request.version);
  const endMs = context.clock.now() + timeoutMs;
  const limits = () => ({ timeoutMs: Math.max(0, endMs - context.clock.now()), signal });
  const before = await readCluster(context, place, signal);
  checkUpgrade("aws", place.name, before.version, version);
  const chosen = choosePools(before, pools);
  await bringTo(context, limits(), {
    what: `the EKS cluster ${place.name}`,
    version,
    read: () => describeCluster(context, place, signal),
    send: (client, sdk, clientRequestToken) =>
      client.send(new sdk.UpdateClusterVersionCommand({ name: place.name, version, clientRequestToken })),
    place,
  });
  for (const pool of chosen) {
    const now = await describeNodegroup(context, place, pool.name, signal);
    if (now.version === version && now.status === "ACTIVE") continue;
    if (now.version !== version) await beforePool?.(pool);
    signal?.throwIfAborted();
    await upgradeNodegroup(context, place, { name: pool.name, version }, limits());
  }
  return readCluster(context, place, signal);
}

/** Upgrades one node group to a version. */
export async function upgradeNodegroup(
  context: AwsContext,
  place: EksPlace,
  { name: nodegroupName, version }: { readonly name: string; readonly version: string },
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { name: clusterName } = place;
  await bringTo(context, limits, {
    what: `the node group ${nodegroupName} of the EKS cluster ${clusterName}`,
    version,
    read: () => describeNodegroup(context, place, nodegroupName, limits.signal),
    send: (client, sdk, clientRequestToken) =>
      client.send(new sdk.UpdateNodegroupVersionCommand({ clusterName, nodegroupName, version, clientRequestToken })),
    place,
    pool: nodegroupName,
  });
}

function choosePools({ name, nodePools }: ClusterInfo, pools: NonNullable<UpgradeRequest["pools"]>): readonly NodePoolInfo[] {
  if (pools === "all") return nodePools;
  if (pools === "control-plane") return [];
  return pools.map((wanted) => {
    const found = nodePools.find((pool) => pool.name === wanted || pool.id === wanted);
    if (found === undefined) throw refuseRequest("aws", `the EKS cluster ${name} has no node group ${wanted}`);
    return found;
  });
}

type EksSdk = typeof import("@aws-sdk/client-eks");
type EksClient = InstanceType<EksSdk["EKSClient"]>;

interface Target {
  readonly what: string;
  readonly version: string;
  readonly place: EksPlace;
  readonly pool?: string;
  readonly read: () => Promise<{ readonly version?: string | undefined; readonly status?: string | undefined }>;
  readonly send: (client: EksClient, sdk: EksSdk, token: string) => Promise<{ readonly update?: Update | undefined }>;
}

/**
 * Upgrades a cluster or node group to a version. Waits for a change in progress first, even if an earlier call started it. Throws if EKS
 * reports that the update failed. The status alone does not show the failure, because the cluster or node group becomes ACTIVE again with
 * the old version.
 */
async function bringTo(
  context: AwsContext,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
  target: Target,
): Promise<void> {
  const { what, version, place } = target;
  const token = deriveToken(readToken("aws", {}), what);
  let updateId: string | undefined;
  await waitFor(context.clock, {
    cloud: "aws",
    timeoutMs,
    signal,
    describe: (last) => `${what} is still ${last?.status ?? "unknown"} with Kubernetes ${last?.version ?? "unknown"}`,
    async read() {
      const failure = updateId === undefined ? undefined : await findFailure(context, target, updateId, signal);
      const now = { ...(await target.read()), failure };
      const isIdle = now.status === "ACTIVE" || now.status === "DEGRADED";
      if (now.version === version || !isIdle || updateId !== undefined) return now;
      try {
        const doing = `upgrade ${what} to Kubernetes ${version}`;
        const { update } = await context.call({ doing, region: place.region, signal }, async (clients) =>
          target.send(await clients.eks(), await import("@aws-sdk/client-eks"), token),
        );
        updateId = update?.id;
      } catch (error) {
        if (!isCloudFault(error, "conflict")) throw error;
      }
      return { ...now, status: "UPDATING" };
    },
    isDone({ version: now, status = "", failure }) {
      if (failure !== undefined) throw failure;
      if (/^(FAILED|CREATE_FAILED|DELETE_FAILED|DELETING)$/.test(status))
        throw describeStatusReason(`${what} is ${status} and cannot be upgraded`, { code: status, message: "" });
      return now === version && status === "ACTIVE";
    },
  });
}

/** Returns the fault for a failed update, or undefined if the update did not fail. */
async function findFailure(
  context: AwsContext,
  { what, place: { name, region }, pool }: Target,
  updateId: string,
  signal: AbortSignal | undefined,
): Promise<CloudFault | undefined> {
  const update = await context.call({ doing: `read the update of ${what}`, region, signal }, async (clients) => {
    const { DescribeUpdateCommand } = await import("@aws-sdk/client-eks");
    const input = { name, updateId, ...(pool === undefined ? {} : { nodegroupName: pool }) };
    return (await (await clients.eks()).send(new DescribeUpdateCommand(input))).update;
  });
  if (update?.status !== "Failed" && update?.status !== "Cancelled") return undefined;
  const [first] = update.errors ?? [];
  const reason = (update.errors ?? []).map(({ errorCode, errorMessage }) => `${errorCode}: ${errorMessage}`).join("; ");
  return describeStatusReason(`the upgrade of ${what} ended with ${update.status}${reason === "" ? "" : `: ${reason}`}`, {
    code: first?.errorCode ?? update.status,
    message: reason,
  });
}
