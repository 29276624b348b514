import type { ClusterInfo, NodePoolInfo } from "@cloudwright/clouds";
import { listChangedPaths } from "@cloudwright/terraform";
import type { PlannedAction, PlannedChange } from "../executor/executor-plan.ts";
import { objectOf } from "../read-spec.ts";
import type { JsonObject } from "../task.ts";
import type { ExistingCloud } from "./existing-cloud.ts";

/** The attributes of a cluster and its pools at one point in time, keyed by address. */
export type Snapshot = Readonly<Record<string, JsonObject>>;

/** Returns the address of the cluster in plans and drift reports. */
export function clusterAddress({ types }: ExistingCloud): string {
  return `${types.cluster}.this`;
}

export function poolAddress({ types }: ExistingCloud, name: string): string {
  return `${types.pool}.${name}`;
}

/** Describes a cluster and its pools. The result serves as the baseline for later drift checks. */
export function takeSnapshot(cloud: ExistingCloud, cluster: ClusterInfo): Snapshot {
  const { id, name, version, endpoint = "", network = "", subnets, tags, nodePools } = cluster;
  const pools = nodePools.map((pool) => [poolAddress(cloud, pool.name), describePool(pool)] as const);
  const own = {
    id,
    name,
    version,
    endpoint,
    network,
    subnets: [...subnets].toSorted(),
    tags: { ...tags },
    node_pools: nodePools.map((pool) => pool.name).toSorted(),
  };
  return { [clusterAddress(cloud)]: own, ...Object.fromEntries(pools) };
}

function describePool({ id, name, version, count, min, max, types, labels, tags }: NodePoolInfo): JsonObject {
  return {
    id,
    name,
    version,
    desired_size: count,
    min_size: min ?? null,
    max_size: max ?? null,
    instance_types: [...types].toSorted(),
    labels: { ...labels },
    tags: { ...tags },
  };
}

/** Returns the type and name in an address. */
function splitAddress(address: string): { readonly resourceType: string; readonly name: string } {
  const [resourceType = "", ...rest] = address.split(".");
  return { resourceType, name: rest.join(".") };
}

/** Renders the change from one set of attributes to another. */
export function renderChange(
  address: string,
  action: PlannedAction,
  before: JsonObject | null,
  after: JsonObject | null,
): PlannedChange {
  const changedPaths = listChangedPaths({ before, after, unknown: {}, beforeMarks: {}, afterMarks: {} });
  return { address, mode: "managed", ...splitAddress(address), action, replacePaths: [], before, after, changedPaths };
}

/**
 * Lists the changes since the baseline. If a pool has different minimum and maximum sizes, a new size within these limits does not count,
 * because autoscalers change the size all the time.
 */
export function compareSnapshots(baseline: Snapshot, now: Snapshot): PlannedChange[] {
  return Object.entries(baseline).flatMap(([address, before]) => {
    const after = now[address];
    if (after === undefined) return [{ ...renderChange(address, "delete", before, null), changedPaths: [] }];
    const change = renderChange(
      address,
      "update",
      before,
      isElastic(after) ? { ...after, desired_size: before["desired_size"] ?? null } : after,
    );
    return change.changedPaths.length === 0 ? [] : [change];
  });
}

function isElastic({ desired_size: size, min_size: min, max_size: max }: JsonObject): boolean {
  if (typeof size !== "number" || typeof min !== "number" || typeof max !== "number") return false;
  return min < max && min <= size && size <= max;
}

/** Reads the baseline from the outputs of the last run. Returns undefined if there has been no run yet. */
export function readBaseline(outputs: JsonObject): Snapshot | undefined {
  const baseline = objectOf(outputs["baseline"]) as Snapshot;
  return Object.keys(baseline).length === 0 ? undefined : baseline;
}
