import type { CallOptions } from "../../library/call-options.ts";
import type { ClusterInfo, UpgradeRequest } from "../../library/clusters.ts";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { NodePoolInfo } from "../../library/node-pools.ts";
import { checkUpgrade, compareVersions, minorOf } from "../../library/versions.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { NodePool } from "../models.ts";
import { listVersions } from "./available-versions.ts";
import type { GcpContext } from "./context.ts";
import { checkOperation, isOperationDone, type ChangeLimits, type GkeOperation } from "./operations.ts";
import { getCluster, getPool, pathOfCluster, readCluster, type GkePlace } from "./read-gke.ts";

const upgradeMs = 2 * 60 * 60_000;

/**
 * Upgrades a control plane, then its node pools one after the other. Components that already run this version or a newer one are left
 * unchanged.
 */
export async function upgradeCluster(
  context: GcpContext,
  place: GkePlace,
  request: UpgradeRequest,
  { signal }: CallOptions,
): Promise<ClusterInfo> {
  const { pools = "all", beforePool, timeoutMs = upgradeMs } = request;
  const endMs = context.clock.now() + timeoutMs;
  const limits = () => ({ timeoutMs: Math.max(0, endMs - context.clock.now()), signal });
  const before = await readCluster(context, place, signal);
  const chosen = choosePools(before, pools);
  const { releaseChannel } = await getCluster(context, place, signal);
  const versions = await listVersions(context, place.location, signal);
  const newest = versions.choose(request.version, releaseChannel?.channel);
  const version = isReached(before.version, newest, request.version) ? before.version : newest;
  checkUpgrade("gcp", place.name, before.version, version);
  await bringTo(context, place, limits(), {
    what: `the GKE cluster ${place.name}`,
    version,
    async read() {
      const { currentMasterVersion = "", status = "" } = await getCluster(context, place, signal);
      return { version: currentMasterVersion, status };
    },
    action: "projects.locations.clusters.updateMaster",
    method: "POST",
    suffix: ":updateMaster",
    renderBody: () => ({ masterVersion: version }),
  });
  for (const pool of chosen) {
    const now = await getPool(context, place, pool.name, signal);
    if (isAtLeast(now.version, version) && now.status === "RUNNING") continue;
    if (!isAtLeast(now.version, version) && now.status !== "RECONCILING") await beforePool?.(pool);
    signal?.throwIfAborted();
    await upgradePool(context, place, now, { version, ...limits() });
  }
  return readCluster(context, place, signal);
}

/** Upgrades one node pool to an exact version. */
export async function upgradePool(
  context: GcpContext,
  place: GkePlace,
  pool: NodePool,
  { version, ...limits }: ChangeLimits & { readonly version: string },
): Promise<void> {
  const { name = "", config } = pool;
  await bringTo(context, place, limits, {
    what: `the node pool ${name} of the GKE cluster ${place.name}`,
    version,
    async read() {
      const { version: current = "", status = "" } = await getPool(context, place, name, limits.signal);
      return { version: current, status };
    },
    action: "projects.locations.clusters.nodePools.update",
    method: "PUT",
    suffix: `/nodePools/${name}`,
    // GKE requires the image type in every upgrade.
    renderBody: () => ({ nodeVersion: version, ...(config?.imageType === undefined ? {} : { imageType: config.imageType }) }),
  });
}

/**
 * Returns whether the control plane's version satisfies a request without a patch number. GKE may have upgraded the patch version
 * automatically.
 */
function isReached(current: string, newest: string, requested: string): boolean {
  return minorOf("gcp", current) === requested.replace(/^v/, "") && isAtLeast(current, newest);
}

function isAtLeast(version: string | undefined, target: string): boolean {
  return version !== undefined && version !== "" && compareVersions(version, target) >= 0;
}

function choosePools({ name, nodePools }: ClusterInfo, pools: NonNullable<UpgradeRequest["pools"]>): readonly NodePoolInfo[] {
  if (pools === "all") return nodePools;
  if (pools === "control-plane") return [];
  return pools.map((wanted) => {
    const found = nodePools.find((pool) => pool.name === wanted || pool.id === wanted);
    if (found === undefined) throw refuseRequest("gcp", `the GKE cluster ${name} has no node pool ${wanted}`);
    return found;
  });
}

interface Target {
  readonly what: string;
  readonly version: string;
  readonly read: () => Promise<{ readonly version: string; readonly status: string }>;
  readonly action: string;
  readonly method: "POST" | "PUT";
  readonly suffix: string;
  readonly renderBody: () => object;
}

/**
 * Upgrades a control plane or node pool to a version. Waits for a change in progress first, even if an earlier call started it. Throws if
 * GKE reports that the upgrade failed. The status alone does not show the failure, because the control plane or node pool becomes RUNNING
 * again with the old version.
 */
async function bringTo(context: GcpContext, place: GkePlace, { timeoutMs, signal }: ChangeLimits, target: Target): Promise<void> {
  const { what, version, action, method, suffix } = target;
  const doing = `upgrade ${what} to Kubernetes ${version}`;
  let operation: string | undefined;
  await waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    describe: (last) => `${what} is still ${last?.status ?? "unknown"} with Kubernetes ${last?.version ?? "unknown"}`,
    async read() {
      if (operation !== undefined && (await isOperationDone(context, place, operation, { doing, signal }))) operation = undefined;
      const now = await target.read();
      if (now.status === "ERROR" || now.status === "STOPPING")
        throw createCloudFault(`${what} is ${now.status} and cannot be upgraded`, { cloud: "gcp", category: "conflict" });
      const isIdle = now.status === "RUNNING" || now.status === "DEGRADED" || now.status === "RUNNING_WITH_ERROR";
      if (isAtLeast(now.version, version) || !isIdle || operation !== undefined) return now;
      try {
        const path = `${pathOfCluster(place)}${suffix}`;
        const body = target.renderBody();
        const sent = await context.api.call<GkeOperation>(doing, { service: "container", action, method, path, body, signal });
        checkOperation(doing, sent);
        operation = sent.name;
      } catch (error) {
        if (!isCloudFault(error, "conflict")) throw error;
      }
      return { ...now, status: "RECONCILING" };
    },
    isDone: (now) => isAtLeast(now.version, version) && now.status === "RUNNING" && operation === undefined,
  });
}
