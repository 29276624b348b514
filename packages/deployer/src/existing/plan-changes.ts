import type { ClusterInfo, NodePoolInfo, NodePoolRequest, NodeTaint } from "@cloudwright/clouds";
import { ownerTag, partTag } from "@cloudwright/clouds";
import { compareKubernetesVersions, type TaskNodePool, type TaskPayload } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import type { PoolProblem } from "../executor/pool-problem.ts";
import { deployerFaults } from "../faults.ts";
import type { ExistingCloud } from "./existing-cloud.ts";
import { findOwner } from "./read-cluster.ts";

/** One change to a cluster that the platform did not create. It is made by calling the cloud's client library. */
export type ExistingChange =
  | { readonly do: "upgrade"; readonly version: string }
  | { readonly do: "resize"; readonly pool: string; readonly count?: number; readonly min?: number; readonly max?: number }
  | { readonly do: "label"; readonly pool: string; readonly labels: Readonly<Record<string, string>> }
  | { readonly do: "upgrade-pool"; readonly pool: string; readonly version: string }
  | { readonly do: "create-pool"; readonly pool: string; readonly request: NodePoolRequest; readonly token: string }
  | { readonly do: "delete-pool"; readonly pool: string };

/** The changes that a managed cluster needs, and the pools that cannot be changed as their specs say. */
export interface PlannedChanges {
  /** In the order in which they are made. */
  readonly changes: readonly ExistingChange[];
  readonly problems: readonly PoolProblem[];
}

/** Lists the changes that a managed cluster needs. Throws if one of its pools cannot be changed as its spec says. */
export function listChanges(
  cloud: ExistingCloud,
  payload: TaskPayload<"Cluster">,
  cluster: ClusterInfo,
): readonly ExistingChange[] {
  const { changes, problems } = planChanges(cloud, payload, cluster);
  if (problems[0] !== undefined) throw problems[0].fault;
  return changes;
}

/**
 * Plans the changes that a managed cluster needs. Pools without a node pool entity are left unchanged. Only pools that carry this entity's own tag
 * are ever deleted. A pool that cannot be changed as its spec says stays as it is and does not block the others.
 */
export function planChanges(
  cloud: ExistingCloud,
  { entity, nodePools }: TaskPayload<"Cluster">,
  cluster: ClusterInfo,
): PlannedChanges {
  if (entity.spec.existing?.mode !== "manage") return { changes: [], problems: [] };
  const version = minorOf(entity.spec.version);
  const known = new Map(cluster.nodePools.map((pool) => [pool.name, pool]));
  const wanted = new Set(nodePools.map(({ name }) => name));
  const problems: PoolProblem[] = [];
  const plan = (desired: TaskNodePool): PoolChanges => {
    const pool = known.get(desired.name);
    if (desired.spec.existing) return pool === undefined ? none : changePool(desired, pool, version);
    if (pool === undefined) return { ...none, create: [createPool(cloud, entity.uid, desired, cluster)] };
    if (findOwner(pool) === entity.uid) return changePool(desired, pool, version);
    const message = `the cluster already has a node pool ${desired.name} that the platform did not create; set spec.existing to take it over`;
    throw new Fault(deployerFaults.bad_spec, message);
  };
  const changes = nodePools.map((desired) => {
    try {
      return plan(desired);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== "invalid") throw error;
      problems.push({ pool: desired.name, fault: error });
      return none;
    }
  });
  const orphans = cluster.nodePools.filter((pool) => findOwner(pool) === entity.uid && !wanted.has(pool.name));
  return {
    changes: [
      ...(isNewer(version, cluster.version) ? [{ do: "upgrade", version } as const] : []),
      ...changes.flatMap(({ settings }) => settings),
      ...changes.flatMap(({ upgrade }) => upgrade),
      ...changes.flatMap(({ create }) => create),
      ...orphans.map(({ name }) => ({ do: "delete-pool", pool: name }) as const),
    ],
    problems,
  };
}

interface PoolChanges {
  readonly settings: readonly ExistingChange[];
  readonly upgrade: readonly ExistingChange[];
  readonly create: readonly ExistingChange[];
}

const none: PoolChanges = { settings: [], upgrade: [], create: [] };

function changePool({ name, spec }: TaskNodePool, pool: NodePoolInfo, version: string): PoolChanges {
  requireSameMachines(name, spec, pool);
  const { desired, min, max, autoscaling, nodeLabels } = spec;
  const limits = pool.min === undefined && pool.max === undefined && !autoscaling ? {} : { min, max };
  const size = {
    ...(autoscaling || pool.count === desired ? {} : { count: desired }),
    ...(limits.min === undefined || limits.min === pool.min ? {} : { min: limits.min }),
    ...(limits.max === undefined || limits.max === pool.max ? {} : { max: limits.max }),
  };
  const labels = isSame(nodeLabels, pool.labels) ? [] : [{ do: "label", pool: name, labels: { ...nodeLabels } } as const];
  return {
    settings: [...(Object.keys(size).length === 0 ? [] : [{ do: "resize", pool: name, ...size } as const]), ...labels],
    upgrade: isNewer(version, pool.version) ? [{ do: "upgrade-pool", pool: name, version }] : [],
    create: [],
  };
}

/** Throws if the spec changes a pool's machine types. They cannot be changed in place, and pools of existing clusters are never replaced. */
function requireSameMachines(name: string, spec: TaskNodePool["spec"], pool: NodePoolInfo): void {
  const wanted = listTypes(spec);
  if (wanted.length === 0 || pool.types.length === 0 || wanted.toSorted().join() === [...pool.types].toSorted().join()) return;
  const message = `the node pool ${name} has machines of type ${pool.types.join(", ")}, which cannot be changed to ${wanted.join(", ")}; create another pool instead`;
  throw new Fault(deployerFaults.bad_spec, message);
}

/** Lists the machine types in the spec. A list of several types takes precedence over the single type. */
function listTypes({ instanceType, instanceTypes }: TaskNodePool["spec"]): string[] {
  if (instanceTypes.length > 0) return [...instanceTypes];
  return instanceType === "" ? [] : [instanceType];
}

function createPool(
  cloud: ExistingCloud,
  entityUid: string,
  { uid, name, spec }: TaskNodePool,
  cluster: ClusterInfo,
): ExistingChange {
  const role = cluster.nodePools.find((pool) => pool.role !== undefined)?.role;
  if (cloud.sharesRole === true && role === undefined) {
    const message = `the node pool ${name} needs the role of another pool, but the cluster has no pool; create the first one in the cloud`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const [type, ...moreTypes] = listTypes(spec);
  if (moreTypes.length > 0) {
    const message = `the node pool ${name} lists several machine types, but new pools of existing clusters can have only one; keep one in spec.instanceTypes`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const request: NodePoolRequest = {
    name,
    count: spec.desired,
    // Setting limits would turn on the cloud's own autoscaler.
    ...(cloud.scalesWithinLimits === true && !spec.autoscaling ? {} : { min: spec.min, max: Math.max(spec.max, 1) }),
    ...(type === undefined ? {} : { type }),
    ...(Object.keys(spec.nodeLabels).length === 0 ? {} : { labels: { ...spec.nodeLabels } }),
    ...(spec.taints.length === 0
      ? {}
      : { taints: spec.taints.map(({ key: of, value, effect }) => ({ key: of, value, effect: effect as NodeTaint["effect"] })) }),
    ...(spec.zones.length === 0 ? {} : { zones: [...spec.zones] }),
    ...(spec.capacity === "spot" ? { spot: true } : {}),
    ...(spec.diskSizeGib === 0 ? {} : { diskGiB: spec.diskSizeGib }),
    ...(role === undefined ? {} : { role }),
    tags: { [ownerTag]: entityUid, [partTag]: `pool/${name}` },
  };
  // The token is derived from the pool's uid, so that a repeated call returns the pool that an interrupted call created.
  return { do: "create-pool", pool: name, request, token: createHash("sha256").update(uid).digest("hex").slice(0, 40) };
}

function isNewer(desired: string, now: string): boolean {
  return desired !== "" && compareKubernetesVersions(desired, minorOf(now)) > 0;
}

function minorOf(version: string): string {
  return /^v?(?<minor>\d+\.\d+)/.exec(version)?.groups?.["minor"] ?? "";
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
