import { awsOf } from "../../kubernetes/aws/aws-of.ts";
import { readChoices } from "../../kubernetes/aws/choices.ts";
import { chooseSubnets, readEndpoint } from "../../kubernetes/aws/desired.ts";
import { renderNodePools } from "../../kubernetes/aws/node-pools.ts";
import { getNetwork } from "../../find-network.ts";
import { listOf, objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";

/**
 * Renders the same outputs as the Terraform configuration for EKS clusters. Outputs of resources that the blueprint does not build are
 * empty.
 */
export function renderOutputs(
  attributesOf: (address: string) => JsonObject,
  entity: DeployedEntity<"Cluster">,
  around: Surroundings,
): JsonObject {
  const cluster = attributesOf("aws_eks_cluster.this");
  const network = getNetwork(entity, around);
  const aws = awsOf(entity.spec);
  const names = Object.keys(renderNodePools(entity, around, network.region)).toSorted();
  const sizes = names.map((name) => {
    const { scaling_config: scaling } = attributesOf(`aws_eks_node_group.${name}`);
    return Number(objectOf(listOf(scaling)[0])["desired_size"] ?? 0);
  });
  const { publicRanges } = readChoices(around.outputs);
  const { isPublic, ranges } = readEndpoint(entity.spec.endpoint);
  const applied = textsOf(objectOf(listOf(cluster["vpc_config"])[0])["public_access_cidrs"]);
  return {
    cluster_name: textOf(cluster["name"]),
    cluster_arn: textOf(cluster["arn"]),
    endpoint: textOf(cluster["endpoint"]),
    certificate_authority: textOf(cluster["certificate_authority"]),
    version: textOf(cluster["version"]),
    security_group_id: textOf(cluster["cluster_security_group_id"]),
    oidc_issuer: textOf(cluster["issuer"]),
    oidc_provider_arn: "",
    cluster_role_arn: textOf(cluster["role_arn"]),
    node_role_arn: aws.nodeRoleArn || textOf(attributesOf("aws_iam_role.nodes")["arn"]),
    node_group_names: names,
    ready_nodes: sizes.reduce((sum, size) => sum + size, 0),
    region: network.region,
    vpc_id: textOf(cluster["vpc_id"]),
    worker_subnet_ids: [...chooseSubnets(entity, network).workers],
    kms_key_arn: "",
    ebs_csi_role_arn: "",
    load_balancer_controller_role_arn: "",
    karpenter_role_arn: "",
    karpenter_node_role_arn: "",
    karpenter_node_role_name: "",
    karpenter_queue_name: "",
    addon_versions: {},
    addon_minors: {},
    // If the spec names no ranges, the ranges that were applied before are kept. A run on an agent with a different address must not
    // change who can reach the cluster.
    choices: { since: "v1.1.0", public_access_cidrs: isPublic && ranges.length === 0 ? applied : [...publicRanges] },
  };
}
