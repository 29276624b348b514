import { getNetwork } from "../../find-network.ts";
import { numberOf, objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { chooseSubnets, readEndpoint, readVersion } from "./desired.ts";
import { renderManagedAddOns } from "./managed-add-ons.ts";
import { renderNodePools } from "./node-pools.ts";

/** The variables of v1.0.0; what is not asked for is left to the configuration's defaults. */
export function renderAwsVariables(entity: DeployedEntity, around: Surroundings): JsonObject {
  const network = getNetwork(entity, around);
  const { spec } = entity;
  const { serviceCidr } = objectOf(spec["networking"]);
  const aws = objectOf(spec["aws"]);
  const { isPublic, ranges } = readEndpoint(spec["endpoint"]);
  const subnets = chooseSubnets(entity, network);
  const pools = renderNodePools(entity, around.nodePools, network.region);
  const hasNodes = Object.values(pools).some((pool) => numberOf(objectOf(pool)["desired"]) > 0);
  return {
    cluster_name: entity.name,
    region: network.region,
    cluster_version: readVersion(entity),
    vpc_id: network.networkId === "" ? null : network.networkId,
    controlplane_subnet_ids: [...subnets.controlPlane],
    private_subnet_ids: [...network.privateSubnetIds],
    public_subnet_ids: network.privateSubnetIds.length > 0 ? [] : [...network.publicSubnetIds],
    public_access: isPublic,
    public_access_cidrs: ranges,
    service_cidr: textOf(serviceCidr) || null,
    log_types: textsOf(aws["logTypes"]),
    ...(typeof aws["logRetentionDays"] === "number" ? { log_retention_days: numberOf(aws["logRetentionDays"]) } : {}),
    kms_key_arn: textOf(aws["kmsKeyArn"]) || null,
    roles: renderRoles(aws),
    access_entries: renderEntries(aws),
    addons: renderManagedAddOns(entity, { outputs: around.outputs ?? {}, hasNodes }),
    pod_identities: renderIdentities(aws),
    karpenter: { enabled: objectOf(aws["karpenter"])["enabled"] === true },
    node_pools: pools,
    owner: { project: entity.project, entity: entity.uid },
    tags: { ...entity.labels },
  };
}

const roleFields = {
  cluster: "eksRoleArn",
  nodes: "nodeRoleArn",
  ebs_csi: "ebsCsiRoleArn",
  load_balancer_controller: "loadBalancerControllerRoleArn",
  karpenter: "karpenterRoleArn",
  karpenter_nodes: "karpenterNodeRoleArn",
} as const;

function renderRoles(aws: JsonObject): JsonObject {
  const given = Object.entries(roleFields).map(([role, field]) => [role, textOf(aws[field])] as const);
  return Object.fromEntries(given.filter(([, arn]) => arn !== ""));
}

function listObjects(value: JsonObject[string] | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map((each) => objectOf(each)) : [];
}

function renderEntries(aws: JsonObject): JsonObject {
  const entries = listObjects(aws["accessEntries"]).map((entry): [string, JsonObject] => {
    const [policy, namespaces, groups] = [textOf(entry["policy"]), textsOf(entry["namespaces"]), textsOf(entry["groups"])];
    return [textOf(entry["principalArn"]), { ...(policy === "" ? {} : { policy }), namespaces, groups }];
  });
  return Object.fromEntries(entries);
}

function renderIdentities(aws: JsonObject): JsonObject {
  const identities = listObjects(aws["podIdentities"]).map((identity) => [
    `${textOf(identity["namespace"])}/${textOf(identity["serviceAccount"])}`,
    textOf(identity["roleArn"]),
  ]);
  return Object.fromEntries(identities) as JsonObject;
}
