import { getCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { numberOf, objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";

const defaultPool = "default";
const defaultWorkers = 2;
const defaultInstanceType = getCloud("aws").machines.defaultType;

/** All node pools of a cluster by name: the one that its own spec asks for, and those that are entities of their own. */
export function renderNodePools(entity: DeployedEntity, pools: Surroundings["nodePools"], region: string): JsonObject {
  const own = renderOwnPool(entity, pools.length > 0);
  if (own !== undefined && pools.some(({ name }) => name === defaultPool)) {
    const message = `${entity.name} has workers of its own, which are the pool "${defaultPool}", and a node pool of that name`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const others = pools.map((pool): [string, JsonObject] => [pool.name, renderPool(entity, pool, region)]);
  return Object.fromEntries([...(own === undefined ? [] : [[defaultPool, own] as const]), ...others]);
}

function renderOwnPool({ spec }: DeployedEntity, hasOthers: boolean): JsonObject | undefined {
  const { workers, instanceType } = spec;
  if (typeof workers !== "number" && hasOthers) return undefined;
  const count = typeof workers === "number" ? workers : defaultWorkers;
  // A group of AWS has room for one at least.
  return { instance_type: textOf(instanceType) || defaultInstanceType, min: count, desired: count, max: Math.max(1, count) };
}

function renderPool(entity: DeployedEntity, { name, spec }: Surroundings["nodePools"][number], region: string): JsonObject {
  const zones = textsOf(spec["zones"]).map((zone) => getCloud("aws").regions.renderZone(region, zone));
  const stranger = zones.find((zone) => !zone.startsWith(region));
  if (stranger !== undefined) {
    const message = `the zone "${stranger}" of the node pool "${name}" of ${entity.name} is not in ${region}`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const [min, desired, max] = [numberOf(spec["min"]), numberOf(spec["desired"]), numberOf(spec["max"])];
  const taints = Array.isArray(spec["taints"]) ? spec["taints"].map((taint) => renderTaint(objectOf(taint))) : [];
  return {
    instance_type: textOf(spec["instanceType"]) || textOf(entity.spec["instanceType"]) || defaultInstanceType,
    min,
    desired,
    max: Math.max(1, max),
    ...(textOf(spec["capacity"]) === "" ? {} : { capacity: textOf(spec["capacity"]) }),
    ...(numberOf(spec["diskSizeGib"]) === 0 ? {} : { disk_size_gib: numberOf(spec["diskSizeGib"]) }),
    zones,
    labels: { ...objectOf(spec["nodeLabels"]) },
    taints,
  };
}

function renderTaint(taint: JsonObject): JsonObject {
  const value = textOf(taint["value"]);
  return { key: textOf(taint["key"]), effect: textOf(taint["effect"]), ...(value === "" ? {} : { value }) };
}
