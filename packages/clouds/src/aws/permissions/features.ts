import { resourceActions } from "./resource-actions.ts";

/** A feature whose AWS permissions can be granted separately. */
export type AwsFeature = keyof typeof resources;

/** Resource types in each feature's configurations. A test compares this list with `infra/`. */
const resources = {
  network: [
    "aws_vpc",
    "aws_vpc_ipv4_cidr_block_association",
    "aws_subnet",
    "aws_internet_gateway",
    "aws_egress_only_internet_gateway",
    "aws_eip",
    "aws_nat_gateway",
    "aws_route_table",
    "aws_route",
    "aws_route_table_association",
    "aws_network_acl",
    "aws_security_group",
    "aws_default_security_group",
    "aws_vpc_security_group_ingress_rule",
    "aws_vpc_security_group_egress_rule",
    "aws_vpc_endpoint",
    "aws_flow_log",
    "aws_cloudwatch_log_group",
    "aws_iam_role",
    "aws_iam_role_policy",
    "data.aws_caller_identity",
    "data.aws_partition",
    "data.aws_region",
    "data.aws_iam_policy_document",
    "data.aws_vpc",
    "data.aws_subnet",
    "data.aws_subnets",
    "data.aws_availability_zones",
  ],
  cluster: [
    "aws_eks_cluster",
    "aws_eks_node_group",
    "aws_eks_addon",
    "aws_eks_access_entry",
    "aws_eks_access_policy_association",
    "aws_eks_pod_identity_association",
    "aws_launch_template",
    "aws_security_group",
    "aws_vpc_security_group_ingress_rule",
    "aws_vpc_security_group_egress_rule",
    "aws_iam_role",
    "aws_iam_role_policy",
    "aws_iam_role_policy_attachment",
    "aws_iam_policy",
    "aws_iam_instance_profile",
    "aws_iam_openid_connect_provider",
    "aws_kms_key",
    "aws_kms_alias",
    "aws_cloudwatch_log_group",
    "aws_sqs_queue",
    "aws_sqs_queue_policy",
    "aws_cloudwatch_event_rule",
    "aws_cloudwatch_event_target",
    "data.aws_caller_identity",
    "data.aws_partition",
    "data.aws_region",
    "data.aws_iam_policy_document",
    "data.aws_subnet",
    "data.aws_subnets",
    "data.aws_eks_addon_version",
    "data.aws_eks_cluster",
    "data.aws_eks_cluster_versions",
    "data.tls_certificate",
  ],
  storage: [
    "aws_s3_bucket",
    "aws_s3_bucket_versioning",
    "aws_s3_bucket_server_side_encryption_configuration",
    "aws_s3_bucket_public_access_block",
    "aws_s3_bucket_ownership_controls",
    "aws_s3_bucket_lifecycle_configuration",
    "aws_s3_bucket_policy",
    "aws_s3_bucket_replication_configuration",
    "aws_s3_bucket_object_lock_configuration",
    "aws_ebs_volume",
    "aws_iam_role",
    "aws_iam_role_policy",
    "data.aws_caller_identity",
    "data.aws_partition",
    "data.aws_region",
    "data.aws_iam_policy_document",
  ],
  // Instances, security groups and volumes for instances are built without Terraform.
  instance: ["aws_instance"],
  securitygroup: ["aws_security_group"],
  volume: ["aws_ebs_volume", "aws_volume_attachment"],
} as const satisfies Record<string, readonly (keyof typeof resourceActions)[]>;

// Actions that every run needs, regardless of the feature.
const always = [
  "sts:GetCallerIdentity",
  "iam:SimulatePrincipalPolicy",
  "tag:GetResources",
  "cloudtrail:LookupEvents",
  "ec2:DescribeTags",
  "iam:ListRoles",
  "iam:ListRoleTags",
];
// Actions needed for preflight checks and for removing leftover resources.
const additional: Readonly<Record<AwsFeature, readonly string[]>> = {
  network: [
    "ec2:DescribeAvailabilityZones",
    "ec2:DescribeVpcs",
    "ec2:DescribeAddresses",
    "ec2:DescribeNatGateways",
    "ec2:DescribeInternetGateways",
    "ec2:DescribeSubnets",
    "servicequotas:GetServiceQuota",
  ],
  cluster: [
    "eks:DescribeClusterVersions",
    "eks:ListNodegroups",
    "ec2:DescribeAvailabilityZones",
    "ec2:DescribeInstances",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeInstanceTypeOfferings",
    "servicequotas:GetServiceQuota",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeVolumes",
    "ec2:DeleteVolume",
    "elasticloadbalancing:DeleteLoadBalancer",
    "elasticloadbalancing:DeleteTargetGroup",
  ],
  storage: ["s3:GetBucketTagging", "s3:ListBucket"],
  instance: [
    "ec2:DescribeAvailabilityZones",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeInstanceTypeOfferings",
    // Needed to return an instance to the VPC's default group.
    "ec2:DescribeSecurityGroups",
    "servicequotas:GetServiceQuota",
  ],
  securitygroup: ["ec2:DescribeAvailabilityZones", "servicequotas:GetServiceQuota"],
  volume: ["ec2:DescribeAvailabilityZones", "servicequotas:GetServiceQuota"],
};

export const awsFeatures = Object.keys(resources) as readonly AwsFeature[];

/** Returns the resource types that a feature's configurations contain. */
export function listResources(feature: AwsFeature): readonly string[] {
  return resources[feature];
}

/** Returns the actions that a feature needs, sorted. */
export function listActions(feature: AwsFeature): readonly string[] {
  const built = resources[feature].flatMap((type) => resourceActions[type] ?? []);
  return [...new Set([...built, ...always, ...additional[feature]])].toSorted();
}
