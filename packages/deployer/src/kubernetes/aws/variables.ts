import type { AwsCluster } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { getNetwork } from "../../find-network.ts";
import { textOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { awsOf } from "./aws-of.ts";
import { chooseSubnets, readEndpoint, readVersion } from "./desired.ts";
import { renderManagedAddOns } from "./managed-add-ons.ts";
import { countDesired, renderNodePools } from "./node-pools.ts";

/** Renders the variables for configuration v1.0.0. The configuration provides defaults for omitted fields. */
export function renderAwsVariables(entity: DeployedEntity<"Cluster">, around: Surroundings): JsonObject {
  const network = getNetwork(entity, around);
  const { spec } = entity;
  const aws = awsOf(spec);
  const { isPublic, ranges } = readEndpoint(spec.endpoint);
  const subnets = chooseSubnets(entity, network);
  const pools = renderNodePools(entity, around, network.region);
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
    service_cidr: spec.networking?.serviceCidr || null,
    log_types: aws.logTypes.filter((type) => type !== "none"),
    ...(aws.logRetentionDays === undefined ? {} : { log_retention_days: aws.logRetentionDays }),
    kms_key_arn: aws.kmsKeyArn || null,
    roles: renderRoles(aws),
    access_entries: renderEntries(aws, textOf(around.observed?.["builtInAccess"])),
    addons: renderManagedAddOns(entity, { outputs: around.outputs, hasNodes: countDesired(pools) > 0 }),
    pod_identities: renderIdentities(aws),
    karpenter: { enabled: aws.karpenter?.enabled === true },
    node_pools: { ...pools },
    owner: { project: entity.project, entity: entity.uid },
    tags: renderTags("aws", entity),
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

function renderRoles(aws: AwsCluster): JsonObject {
  const given = Object.entries(roleFields).map(([role, field]) => [role, aws[field]] as const);
  return Object.fromEntries(given.filter(([, arn]) => arn !== ""));
}

/**
 * Renders all access entries except that of the principal `builtIn`. EKS created that entry together with the cluster and rejects a second
 * one.
 */
function renderEntries({ accessEntries }: AwsCluster, builtIn: string): JsonObject {
  return Object.fromEntries(
    accessEntries
      .filter(({ principalArn }) => principalArn !== builtIn)
      .map(({ principalArn, policy, namespaces, groups }) => [
        principalArn,
        { ...(policy === "" ? {} : { policy }), namespaces, groups },
      ]),
  );
}

function renderIdentities({ podIdentities }: AwsCluster): JsonObject {
  return Object.fromEntries(
    podIdentities.map(({ namespace, serviceAccount, roleArn }) => [`${namespace}/${serviceAccount}`, roleArn]),
  );
}
