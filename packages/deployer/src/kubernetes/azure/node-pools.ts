import { toJson } from "@bufbuild/protobuf";
import type { TaskNodePool } from "@cloudwright/contract";
import { getCloud, listSpecProblems } from "@cloudwright/contract/clouds";
import { NodePoolSpecSchema } from "@cloudwright/contract/gen/cloudwright/v1/node_pool_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { textsOf } from "../../read-spec.ts";
import { refuseProblems } from "../../refuse-problems.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { azurePoolOf } from "./azure-of.ts";
import type { Choices } from "./choices.ts";

/** The pool that AKS creates with the cluster. It runs the system pods and cannot be deleted. */
export const systemPool = "default";
const defaultWorkers = 2;
const defaultInstanceType = getCloud("azure").machines.defaultType;

/** The placement of a cluster's pools. */
export interface PoolPlace {
  readonly region: string;
  /** The network's zones, such as `westeurope-1`. Empty if the region has none. */
  readonly zones: readonly string[];
}

/** Renders all node pools, keyed by name: the pool from the cluster's own spec and the pools that are separate entities. */
export function renderNodePools(
  entity: DeployedEntity<"Cluster">,
  { nodePools: pools, outputs }: Pick<Surroundings, "nodePools" | "outputs">,
  place: PoolPlace,
  choices: Choices,
): JsonObject {
  if (pools.some(({ name }) => name === systemPool)) {
    const message = `the workers of ${entity.name} form the node pool "${systemPool}"; rename the other node pool with this name`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const usualZones = numberZones(place.zones);
  const zonesOf = (name: string, own: readonly string[]): string[] => [
    ...(own.length > 0 ? own : (choices.findZones(name) ?? usualZones)),
  ];
  const count = entity.spec.workers ?? defaultWorkers;
  const instanceType = entity.spec.instanceType || defaultInstanceType;
  const own = { instance_type: instanceType, min: count, desired: count, max: count, zones: zonesOf(systemPool, []) };
  const built = new Set(textsOf(outputs["node_group_names"]));
  const others = pools.map((pool) => {
    refusePool(entity, pool);
    const zones = zonesOf(pool.name, numberZones(renderZones(entity, pool, place.region)));
    return [pool.name, renderPool(entity, pool, zones, built.has(pool.name))] as const;
  });
  return { [systemPool]: own, ...Object.fromEntries(others) };
}

/** Throws if a pool's spec sets something that AKS does not support. */
function refusePool(entity: DeployedEntity<"Cluster">, { name, spec }: TaskNodePool): void {
  const pool = { name, spec: toJson(NodePoolSpecSchema, spec) as JsonObject, owner: {}, region: "" };
  refuseProblems(`the node pool "${name}" of ${entity.name}`, listSpecProblems("azure", "NodePool", pool));
}

function renderZones(entity: DeployedEntity<"Cluster">, { name, spec }: TaskNodePool, region: string): string[] {
  const zones = spec.zones.map((zone) => getCloud("azure").regions.renderZone(region, zone));
  const stranger = zones.find((zone) => !/^-[1-3]$/.test(zone.slice(region.length)) || !zone.startsWith(region));
  if (stranger === undefined) return zones;
  const message = `node pool "${name}" of ${entity.name}: the zone "${stranger}" is not in ${region}`;
  throw new Fault(deployerFaults.bad_spec, message);
}

/** Returns the numbers that Azure's API uses for zones: `1` for `westeurope-1`. */
function numberZones(zones: readonly string[]): string[] {
  return zones.map((zone) => zone.slice(-1)).toSorted();
}

function renderPool(
  entity: DeployedEntity<"Cluster">,
  { name, labels, spec }: TaskNodePool,
  zones: string[],
  isBuilt: boolean,
): JsonObject {
  const azure = azurePoolOf(spec);
  return {
    instance_type: spec.instanceType || entity.spec.instanceType || defaultInstanceType,
    min: spec.min,
    // The autoscaler controls the number of nodes in an existing pool.
    desired: spec.autoscaling && isBuilt ? null : spec.desired,
    max: spec.autoscaling ? Math.max(1, spec.max) : spec.max,
    autoscaling: spec.autoscaling,
    zones,
    labels: { ...spec.nodeLabels },
    taints: spec.taints.map(({ key, effect, value }) => ({ key, effect, ...(value === "" ? {} : { value }) })),
    tags: renderTags("azure", { name, labels }),
    ...(spec.capacity === "" ? {} : { capacity: spec.capacity }),
    ...(spec.diskSizeGib === 0 ? {} : { disk_size_gib: spec.diskSizeGib }),
    ...(azure.os === "" ? {} : { os: azure.os }),
    ...(azure.osDisk === "" ? {} : { os_disk: azure.osDisk }),
    ...(azure.maxPods === 0 ? {} : { max_pods: azure.maxPods }),
    ...(azure.maxSurge === "" ? {} : { max_surge: azure.maxSurge }),
    ...(azure.drainTimeoutMinutes === 0 ? {} : { drain_timeout_minutes: azure.drainTimeoutMinutes }),
    ...(azure.system ? { system: true } : {}),
    ...(azure.spotMaxPrice === "" ? {} : { spot_max_price: Number(azure.spotMaxPrice) }),
  };
}
