import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import { objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { DeployedEntity, Json, JsonObject, Surroundings } from "../../task.ts";
import { chooseSubnets, readEndpoint, readVersion } from "./desired.ts";
import { renderNodePools } from "./node-pools.ts";

/** The variables of v0.1.0, which clusters keep until they ask for another version. */
export function renderFirstVariables(entity: DeployedEntity, around: Surroundings): JsonObject {
  refuseLater(entity);
  const network = getNetwork(entity, around);
  const { spec } = entity;
  const { serviceCidr } = objectOf(spec["networking"]);
  const aws = objectOf(spec["aws"]);
  const subnets = chooseSubnets(entity, network);
  const { isPublic, ranges } = readEndpoint(spec["endpoint"]);
  return {
    name: entity.name,
    region: network.region,
    kubernetes_version: readVersion(entity),
    subnets: { control_plane: [...subnets.controlPlane], workers: [...subnets.workers] },
    endpoint: { public: isPublic, ...(ranges.length === 0 ? {} : { public_cidrs: ranges }) },
    service_cidr: textOf(serviceCidr) || null,
    log_types: textsOf(aws["logTypes"]),
    roles: { cluster: textOf(aws["eksRoleArn"]) || null, nodes: textOf(aws["nodeRoleArn"]) || null },
    node_pools: renderNodePools(entity, around.nodePools, network.region),
    owner: { project: entity.project, entity: entity.uid },
    tags: { ...entity.labels },
  };
}

const known = new Set(["eksRoleArn", "nodeRoleArn", "logTypes"]);

/** What only later versions have is refused with the way to them, not left out in silence. */
function refuseLater({ name, spec }: DeployedEntity): void {
  const later = Object.entries(objectOf(spec["aws"])).find(([field, value]) => !known.has(field) && isAsked(value));
  if (later === undefined) return;
  const message = `spec.aws.${later[0]} of ${name} needs a newer configuration than v0.1.0: ask for v1.0.0 in spec.infra.version`;
  throw new Fault(deployerFaults.not_supported, message);
}

function isAsked(value: Json): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === "object" ? objectOf(value)["enabled"] === true : typeof value === "number" || Boolean(value);
}
