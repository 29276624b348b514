import { checkCount, checkScale } from "../../library/check-request.ts";
import { refuseRequest } from "../../library/errors.ts";
import type { NodePoolRequest, NodeTaint } from "../../library/node-pools.ts";
import type { NodePool, NodePoolAutoscaling } from "../models.ts";
import type { GcpContext } from "./context.ts";
import { renderLabels, tokenTag } from "./labels.ts";
import type { Spread } from "./places.ts";
import { checkClusterName, pathOf } from "./references.ts";

const defaultType = "e2-standard-2";
const defaultName = "default";

/** Returns the name of a requested pool. */
export function nameOfPool({ name = defaultName }: Pick<NodePoolRequest, "name">): string {
  return name;
}

/** Throws `clouds.invalid` if a request for a pool cannot succeed. */
export function checkPool(pool: NodePoolRequest): void {
  checkClusterName("node pool", nameOfPool(pool));
  checkScale("gcp", pool);
  if (pool.min !== undefined && pool.max === undefined) throw refuseRequest("gcp", "min requires max");
  if (pool.diskGiB !== undefined) checkCount("gcp", "diskGiB", pool.diskGiB, { least: 10, most: 65_536 });
  if (pool.subnets !== undefined && pool.subnets.length > 1)
    throw refuseRequest("gcp", `a GKE node pool uses one subnetwork, not ${pool.subnets.length}`);
}

/** Renders the request for a pool. */
export function renderPool(
  { options }: Pick<GcpContext, "options">,
  pool: NodePoolRequest,
  { zones, perZone, token, version }: Spread & { readonly token: string; readonly version?: string | undefined },
): NodePool {
  const { type = defaultType, min, max, labels, taints, subnets = [], spot, diskGiB, tags = {}, native = {} } = pool;
  const given = native as { readonly config?: { readonly metadata?: object }; readonly networkConfig?: object };
  const [subnet] = subnets;
  return {
    ...native,
    name: nameOfPool(pool),
    initialNodeCount: perZone,
    locations: zones,
    ...(version === undefined ? {} : { version }),
    ...(max === undefined ? {} : { autoscaling: renderAutoscaling(min ?? 0, max, spot === true) }),
    ...(subnet === undefined ? {} : { networkConfig: { ...given.networkConfig, subnetwork: pathOf(subnet) } }),
    config: {
      ...given.config,
      machineType: type,
      // Version 1 of the metadata server hands out the node's credentials to any pod.
      metadata: { ...given.config?.metadata, "disable-legacy-endpoints": "true" },
      resourceLabels: renderLabels({ ...options.tags, ...tags, [tokenTag]: token }),
      ...(labels === undefined ? {} : { labels }),
      ...(taints === undefined ? {} : { taints: taints.map(renderTaint) }),
      ...(spot === undefined ? {} : { spot }),
      ...(diskGiB === undefined ? {} : { diskSizeGb: diskGiB }),
    },
  };
}

/** Renders autoscaling limits for the whole pool. GKE's other autoscaling limits apply per zone. */
export function renderAutoscaling(min: number, max: number, isSpot: boolean): NodePoolAutoscaling {
  return { enabled: true, totalMinNodeCount: min, totalMaxNodeCount: max, locationPolicy: isSpot ? "ANY" : "BALANCED" };
}

const effects: Readonly<Record<NodeTaint["effect"], string>> = {
  NoSchedule: "NO_SCHEDULE",
  PreferNoSchedule: "PREFER_NO_SCHEDULE",
  NoExecute: "NO_EXECUTE",
};

export function renderTaint({ key, value = "", effect }: NodeTaint) {
  return { key, value, effect: effects[effect] };
}
