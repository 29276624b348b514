import type { TaskNodePool } from "@cloudwright/contract";
import { getCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { objectOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";

const defaultPool = "default";
const defaultWorkers = 2;
const defaultInstanceType = getCloud("aws").machines.defaultType;

/** A node pool in the format of the Terraform variables. */
type PoolVariables = JsonObject & { readonly desired: number };

/** Renders all node pools, keyed by name: the pool from the cluster's own spec and the pools that are separate entities. */
export function renderNodePools(
  entity: DeployedEntity<"Cluster">,
  { nodePools: pools, observed = {} }: Pick<Surroundings, "nodePools" | "observed">,
  region: string,
): Readonly<Record<string, PoolVariables>> {
  const own = renderOwnPool(entity, pools.length > 0);
  if (own !== undefined && pools.some(({ name }) => name === defaultPool)) {
    const message = `the workers of ${entity.name} form the node pool "${defaultPool}"; rename the other node pool with this name`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const others = pools.map((pool) => {
    const desired = findScaledSize(pool, observed) ?? pool.spec.desired;
    return [pool.name, { ...renderPool(entity, pool, region), desired }] as const;
  });
  return Object.fromEntries([...(own === undefined ? [] : [[defaultPool, own] as const]), ...others]);
}

/** Returns the total number of desired nodes. */
export function countDesired(pools: Readonly<Record<string, PoolVariables>>): number {
  return Object.values(pools).reduce((sum, { desired }) => sum + desired, 0);
}

/**
 * Returns the number of nodes that an autoscaler has chosen, within the pool's limits. Returns undefined if the pool has no autoscaler or
 * does not exist yet.
 */
function findScaledSize({ name, spec }: TaskNodePool, observed: JsonObject): number | undefined {
  const size = spec.autoscaling ? objectOf(observed["nodes"])[name] : undefined;
  return typeof size === "number" ? Math.min(Math.max(size, spec.min), Math.max(1, spec.max)) : undefined;
}

function renderOwnPool({ spec }: DeployedEntity<"Cluster">, hasOthers: boolean): PoolVariables | undefined {
  if (spec.workers === undefined && hasOthers) return undefined;
  const count = spec.workers ?? defaultWorkers;
  // EKS rejects a node group with a maximum size of 0.
  return { instance_type: spec.instanceType || defaultInstanceType, min: count, desired: count, max: Math.max(1, count) };
}

function renderPool(entity: DeployedEntity<"Cluster">, { name, spec }: TaskNodePool, region: string): PoolVariables {
  const zones = spec.zones.map((zone) => getCloud("aws").regions.renderZone(region, zone));
  const stranger = zones.find((zone) => !zone.startsWith(region));
  if (stranger !== undefined) {
    const message = `node pool "${name}" of ${entity.name}: the zone "${stranger}" is not in ${region}`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return {
    instance_type: spec.instanceType || entity.spec.instanceType || defaultInstanceType,
    min: spec.min,
    desired: spec.desired,
    max: Math.max(1, spec.max),
    ...(spec.capacity === "" ? {} : { capacity: spec.capacity }),
    ...(spec.diskSizeGib === 0 ? {} : { disk_size_gib: spec.diskSizeGib }),
    zones,
    labels: { ...spec.nodeLabels },
    taints: spec.taints.map(({ key, effect, value }) => ({ key, effect, ...(value === "" ? {} : { value }) })),
  };
}
