import { toJson } from "@bufbuild/protobuf";
import type { TaskNodePool } from "@cloudwright/contract";
import { getCloud, listSpecProblems } from "@cloudwright/contract/clouds";
import { NodePoolSpecSchema } from "@cloudwright/contract/gen/cloudwright/v1/node_pool_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { refuseProblems } from "../../refuse-problems.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { readChoices } from "./choices.ts";
import { toZone } from "./desired.ts";

const defaultPool = "default";
const defaultWorkers = 2;
const defaultType = getCloud("gcp").machines.defaultType;

/** Renders all node pools, keyed by name: the pool from the cluster's own spec and the pools that are separate entities. */
export function renderNodePools(
  entity: DeployedEntity<"Cluster">,
  { nodePools: pools, outputs }: Pick<Surroundings, "nodePools" | "outputs">,
  region: string,
): JsonObject {
  const { workers, instanceType } = entity.spec;
  const hasOwn = workers !== undefined || pools.length === 0;
  if (hasOwn && pools.some(({ name }) => name === defaultPool)) {
    const message = `the workers of ${entity.name} form the node pool "${defaultPool}"; rename the other node pool with this name`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const count = workers ?? defaultWorkers;
  const { listZones } = readChoices(outputs);
  const own = {
    machine_type: instanceType || defaultType,
    min: count,
    desired: count,
    max: Math.max(1, count),
    zones: [...listZones(defaultPool)],
  };
  return {
    ...(hasOwn ? { [defaultPool]: own } : {}),
    ...Object.fromEntries(pools.map((pool) => [pool.name, renderPool(entity, pool, region, listZones(pool.name))])),
  };
}

function renderPool(
  entity: DeployedEntity<"Cluster">,
  { name, labels, spec }: TaskNodePool,
  region: string,
  kept: readonly string[],
): JsonObject {
  const field = `node pool "${name}" of ${entity.name}`;
  const owner = { instanceType: entity.spec.instanceType };
  const checked = { name, spec: toJson(NodePoolSpecSchema, spec) as JsonObject, owner, region };
  refuseProblems(`the ${field}`, listSpecProblems("gcp", "NodePool", checked));
  const zones = spec.zones.map((zone) => toZone(zone, region, field));
  return {
    machine_type: spec.instanceType || entity.spec.instanceType || defaultType,
    min: spec.min,
    desired: spec.desired,
    max: Math.max(1, spec.max),
    autoscaling: spec.autoscaling,
    ...(spec.capacity === "" ? {} : { capacity: spec.capacity }),
    ...(spec.diskSizeGib === 0 ? {} : { disk_size_gib: spec.diskSizeGib }),
    // A pool whose spec does not list zones keeps the zones it was created in, even if the network gains a zone.
    zones: zones.length > 0 ? zones : [...kept],
    labels: { ...spec.nodeLabels },
    taints: spec.taints.map(({ key, effect, value }) => ({ key, effect, ...(value === "" ? {} : { value }) })),
    resource_labels: renderTags("gcp", { name, labels }),
    ...renderOwn(spec),
  };
}

/** Renders the GKE-specific settings. The configuration has defaults for those that are not set. */
function renderOwn({ cloud }: TaskNodePool["spec"]): JsonObject {
  if (cloud.case !== "gcp") return {};
  const { image, diskType, accelerator, acceleratorCount, maxSurge, maxUnavailable, maxPods, networkTags, secureBoot } =
    cloud.value;
  return {
    ...(image === "" ? {} : { image }),
    ...(diskType === "" ? {} : { disk_type: diskType }),
    ...(accelerator === "" ? {} : { accelerator, accelerator_count: acceleratorCount }),
    ...(maxSurge === undefined ? {} : { max_surge: maxSurge }),
    ...(maxUnavailable === 0 ? {} : { max_unavailable: maxUnavailable }),
    ...(maxPods === 0 ? {} : { max_pods: maxPods }),
    ...(networkTags.length === 0 ? {} : { network_tags: [...networkTags] }),
    ...(secureBoot === undefined ? {} : { secure_boot: secureBoot }),
  };
}
