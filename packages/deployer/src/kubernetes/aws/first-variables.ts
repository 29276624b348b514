import { toJson } from "@bufbuild/protobuf";
import { AwsClusterSchema } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { awsOf } from "./aws-of.ts";
import { chooseSubnets, currentFields, readEndpoint, readVersion } from "./desired.ts";
import { renderNodePools } from "./node-pools.ts";

/**
 * Renders the variables for configuration v0.1.0. Clusters that were built with this version use it until their spec requests a newer one.
 */
export function renderFirstVariables(entity: DeployedEntity<"Cluster">, around: Surroundings): JsonObject {
  refuseLater(entity);
  const network = getNetwork(entity, around);
  const { spec } = entity;
  const aws = awsOf(spec);
  const subnets = chooseSubnets(entity, network);
  const { isPublic, ranges } = readEndpoint(spec.endpoint);
  return {
    name: entity.name,
    region: network.region,
    kubernetes_version: readVersion(entity),
    subnets: { control_plane: [...subnets.controlPlane], workers: [...subnets.workers] },
    endpoint: { public: isPublic, ...(ranges.length === 0 ? {} : { public_cidrs: ranges }) },
    service_cidr: spec.networking?.serviceCidr || null,
    log_types: aws.logTypes.filter((type) => type !== "none"),
    roles: { cluster: aws.eksRoleArn || null, nodes: aws.nodeRoleArn || null },
    node_pools: { ...renderNodePools(entity, around, network.region) },
    owner: { project: entity.project, entity: entity.uid },
    tags: renderTags("aws", entity),
  };
}

const known: readonly string[] = ["eksRoleArn", "nodeRoleArn", "logTypes"];

/** Rejects fields that v0.1.0 would silently ignore. */
function refuseLater({ name, spec }: DeployedEntity<"Cluster">): void {
  const aws = awsOf(spec);
  const set = Object.keys(toJson(AwsClusterSchema, aws));
  const later = set.find((field) => !known.includes(field) && (field !== "karpenter" || aws.karpenter?.enabled === true));
  if (later === undefined) return;
  const since = currentFields.has(later) ? "v1.1.0" : "v1.0.0";
  const message = `spec.aws.${later} of ${name} requires a newer configuration than v0.1.0; set spec.infra.version to ${since}`;
  throw new Fault(deployerFaults.not_supported, message);
}
