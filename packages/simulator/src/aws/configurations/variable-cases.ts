import type { VariableCases } from "../../testing/list-wrong-variables.ts";

const owner = { project: "p", entity: "0123456789ab" };
const long = "a".repeat(63);

/** Cases for the configuration network/aws. */
export const badNetworks: VariableCases = {
  base: { vpc_name: "n", region: "eu-west-1", aws_azs: ["eu-west-1a", "eu-west-1b"], owner },
  rejected: [
    ["vpc_name", { vpc_name: "Upper" }],
    ["vpc_name", { vpc_name: "" }],
    ["vpc_name", { vpc_name: `${long}a` }],
    ["vpc_name", { vpc_name: "größe" }],
    ["vpc_name", { vpc_name: null }],
    ["region", { region: "EU", aws_azs: ["EUa"] }],
    ["cidr_range", { cidr_range: "10.0.0.0" }],
    ["cidr_range", { cidr_range: "10.0.0.0/8" }],
    ["cidr_range", { cidr_range: "10.0.0.0/29" }],
    ["cidr_range", { cidr_range: "10.0.0.9/16" }],
    ["cidr_range", { cidr_range: "fd00::/56" }],
    ["aws_eks_controlplane_subnet_cidrs", { cidr_range: "10.0.0.0/24" }],
    ["cidr_range", { cidr_range: "abc" }],
    ["aws_azs", { aws_azs: ["eu-west-1a", "eu-west-1a"] }],
    ["aws_azs", { aws_azs: ["us-east-1a"] }],
    ["aws_azs", { aws_azs: ["eu-west-1"] }],
    ["aws_eks_controlplane_subnet_cidrs", { aws_azs: ["eu-west-1z"] }],
    ["aws_azs", { aws_azs: [] }],
    ["aws_azs", { aws_azs: ["eu-west-10a"] }],
    ["aws_eks_controlplane_subnet_cidrs", { region: "us-west-2", aws_azs: ["us-west-2-lax-1a", "us-west-2a"] }],
    ["aws_private_subnet_cidrs", { aws_private_subnet_cidrs: ["10.0.0.0/20", "10.0.8.0/21"] }],
    ["aws_private_subnet_cidrs", { aws_private_subnet_cidrs: ["10.0.0.0/20", "10.0.0.0/20"] }],
    ["aws_private_subnet_cidrs", { aws_private_subnet_cidrs: ["10.1.0.0/20"] }],
    ["aws_private_subnet_cidrs", { aws_private_subnet_cidrs: ["10.0.0.0/29"] }],
    ["aws_private_subnet_cidrs", { aws_private_subnet_cidrs: ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"] }],
    ["aws_private_subnet_cidrs", { aws_private_subnet_cidrs: ["10.0.0.1/24"] }],
    ["aws_private_subnet_cidrs", { aws_private_subnet_cidrs: ["x"] }],
    ["aws_private_subnet_cidrs", { aws_private_subnet_cidrs: ["10.0.0.0/15"] }],
    ["aws_eks_controlplane_subnet_cidrs", { aws_eks_controlplane_subnet_cidrs: ["10.1.0.0/20"] }],
    ["aws_public_subnet_cidrs", { aws_public_subnet_cidrs: [""] }],
    ["nat", { nat: "maybe" }],
    ["aws_eks_controlplane_subnet_cidrs", { nat: "single", aws_private_subnet_cidrs: ["10.0.0.0/24"] }],
    ["aws_eks_controlplane_subnet_cidrs", { nat: "per-zone", aws_public_subnet_cidrs: [] }],
    ["load_balancer_ips", { load_balancer_ips: -1 }],
    ["load_balancer_ips", { load_balancer_ips: 21 }],
    ["load_balancer_ips", { load_balancer_ips: 1.5 }],
    ["interface_endpoints", { interface_endpoints: ["EC2"] }],
    ["interface_endpoints", { interface_endpoints: [""] }],
    [
      "network_acl_rules",
      { network_acl_rules: [{ subnets: "x", direction: "in", number: 1, action: "allow", cidr: "0.0.0.0/0" }] },
    ],
    [
      "network_acl_rules",
      { network_acl_rules: [{ subnets: "public", direction: "in", number: 1.5, action: "allow", cidr: "0.0.0.0/0" }] },
    ],
    [
      "network_acl_rules",
      { network_acl_rules: [{ subnets: "public", direction: "in", number: 1, action: "allow", cidr: "0.0.0.0" }] },
    ],
    [
      "network_acl_rules",
      {
        network_acl_rules: [
          {
            subnets: "public",
            direction: "in",
            number: 1,
            action: "allow",
            cidr: "0.0.0.0/0",
            protocol: "tcp",
            from_port: 10,
            to_port: 5,
          },
        ],
      },
    ],
    ["flow_logs", { flow_logs: { retention_days: 2 } }],
    ["vpc_id", { vpc_id: "VPC-1", aws_azs: [] }],
    ["vpc_id", { vpc_id: "vpc-1", aws_azs: [], load_balancer_ips: 1 }],
    ["private_subnet_ids", { vpc_id: "vpc-1", aws_azs: [], private_subnet_ids: ["foo"] }],
    ["public_subnet_ids", { public_subnet_ids: ["subnet-1"] }],
    ["controlplane_subnet_ids", { vpc_id: "vpc-1", aws_azs: [], controlplane_subnet_ids: ["subnet-1", "subnet-1"] }],
    ["owner", { owner: { project: "p", entity: "" } }],
    ["tags", { tags: { "aws:x": "y" } }],
    ["tags", { tags: { "cloudwright:x": "y" } }],
    ["tags", { tags: { "": "y" } }],
  ],
  accepted: [
    {},
    { cidr_range: "10.0.0.0/23" },
    {
      cidr_range: "10.0.0.0/24",
      aws_private_subnet_cidrs: ["10.0.0.0/28", "10.0.0.16/28"],
      aws_public_subnet_cidrs: ["10.0.0.128/25"],
      nat: "single",
    },
    { aws_azs: [], vpc_id: "vpc-0a", private_subnet_ids: ["subnet-1", "subnet-2"] },
    {
      nat: null,
      tags: null,
      interface_endpoints: null,
      load_balancer_ips: null,
      s3_endpoint: null,
      network_acl_rules: null,
      cidr_range: null,
    },
    { region: "us-west-2", aws_azs: ["us-west-2-lax-1a", "us-west-2b"] },
    { aws_private_subnet_cidrs: [], aws_public_subnet_cidrs: ["10.0.0.0/20"] },
    { tags: { team: "größe" } },
    { vpc_name: long },
  ],
};

/** Cases for the configuration kubernetes/aws. */
export const badClusters: VariableCases = {
  base: {
    cluster_name: "n",
    region: "eu-west-1",
    controlplane_subnet_ids: ["subnet-1", "subnet-2"],
    private_subnet_ids: ["subnet-3"],
    owner,
  },
  rejected: [
    ["cluster_name", { cluster_name: "A" }],
    ["cluster_name", { cluster_name: "ü" }],
    ["region", { region: "" }],
    ["cluster_version", { cluster_version: "v1.34" }],
    ["cluster_version", { cluster_version: "1.34.1" }],
    ["vpc_id", { vpc_id: "x" }],
    ["controlplane_subnet_ids", { controlplane_subnet_ids: ["subnet-1"] }],
    ["controlplane_subnet_ids", { controlplane_subnet_ids: ["a", "b"] }],
    ["controlplane_subnet_ids", { controlplane_subnet_ids: [] }],
    ["private_subnet_ids", { private_subnet_ids: ["x"] }],
    ["private_subnet_ids", { private_subnet_ids: [] }],
    ["public_subnet_ids", { public_subnet_ids: ["x"] }],
    ["public_access", { public_access: false, public_access_cidrs: ["0.0.0.0/0"] }],
    ["public_access_cidrs", { public_access_cidrs: ["0.0.0.0"] }],
    ["service_cidr", { service_cidr: "8.8.0.0/16" }],
    ["service_cidr", { service_cidr: "10.0.0.0/8" }],
    ["service_cidr", { service_cidr: "10.0.0.5/16" }],
    ["service_cidr", { service_cidr: "x" }],
    ["log_types", { log_types: ["x"] }],
    ["log_retention_days", { log_retention_days: 2 }],
    ["kms_key_arn", { kms_key_arn: "arn:aws:kms:eu-west-1:123456789012:alias/a" }],
    ["roles", { roles: { cluster: "x" } }],
    ["access_entries", { access_entries: { x: {} } }],
    ["access_entries", { access_entries: { "arn:aws:iam::123456789012:role/a": { policy: "x" } } }],
    ["addons", { addons: { coredns: { version: "1" } } }],
    ["addons", { addons: { coredns: { configuration: "[]" } } }],
    ["addons", { addons: { coredns: { configuration: "{" } } }],
    ["pod_identities", { pod_identities: { x: "arn:aws:iam::123456789012:role/a" } }],
    ["karpenter", { karpenter: { enabled: true, namespace: "X" } }],
    ["node_pools", { node_pools: { A: { instance_type: "t3.medium", min: 0, desired: 0, max: 1 } } }],
    ["node_pools", { node_pools: { a: { instance_type: "t3.medium", min: 2, desired: 1, max: 3 } } }],
    ["node_pools", { node_pools: { a: { instance_type: "t3.medium", min: 0.5, desired: 1, max: 3 } } }],
    ["node_pools", { node_pools: { a: { instance_type: "", min: 0, desired: 1, max: 3 } } }],
    ["node_pools", { node_pools: { a: { instance_type: "T3.Medium", min: 0, desired: 1, max: 3 } } }],
    ["node_pools", { node_pools: { a: { instance_type: "t3.medium", min: 0, desired: 1, max: 3, zones: ["us-east-1a"] } } }],
    ["node_pools", { node_pools: { a: { instance_type: "t3.medium", min: 0, desired: 1, max: 3, capacity: "x" } } }],
    [
      "node_pools",
      {
        node_pools: {
          a: { instance_type: "t3.medium", min: 0, desired: 1, max: 3, taints: [{ key: "", effect: "NoSchedule" }] },
        },
      },
    ],
    [
      "node_pools",
      { node_pools: { a: { instance_type: "t3.medium", min: 0, desired: 1, max: 3, taints: [{ key: "a", effect: "x" }] } } },
    ],
    ["node_pools", { node_pools: { a: { instance_type: "t3.medium", min: 0, desired: 1, max: 3, disk_size_gib: 0 } } }],
    ["owner", { owner: { project: "p", entity: "" } }],
    ["tags", { tags: { "aws:x": "y" } }],
  ],
  accepted: [
    {},
    {
      node_pools: {
        a: { instance_type: "m7i-flex.large", min: 0, desired: 0, max: 1 },
        b: {
          instance_type: "u-6tb1.112xlarge",
          min: 0,
          desired: 0,
          max: 1,
          zones: ["eu-west-1a"],
          taints: [{ key: "a", effect: "NoSchedule" }],
        },
      },
    },
    { service_cidr: "10.100.0.0/16" },
    { private_subnet_ids: null, public_subnet_ids: ["subnet-1"], node_pools: null, addons: null, roles: null, log_types: null },
  ],
};

const sizes = { instance_type: "t3.medium", min: 0, desired: 1, max: 3 };

/** Cases for the configuration kubernetes/aws since v1.1.0. */
export const badCurrentClusters: VariableCases = {
  base: badClusters.base,
  rejected: [
    ...badClusters.rejected,
    ["support_type", { support_type: "standard" }],
    ["kept_defaults", { kept_defaults: { since: "1.1" } }],
    ["kept_defaults", { kept_defaults: { public_access_cidrs: ["192.0.2.1"] } }],
    ["creator_arn", { creator_arn: "arn:aws:sts::123456789012:assumed-role/a/b" }],
    ["role_path", { role_path: "platform" }],
    ["role_path", { role_path: "/platform" }],
    ["role_path", { role_path: "//" }],
    ["permissions_boundary_arn", { permissions_boundary_arn: "arn:aws:iam::123456789012:role/a" }],
    ["node_volume_kms_key_arn", { node_volume_kms_key_arn: "arn:aws:kms:eu-west-1:123456789012:alias/a" }],
    ["node_pools", { node_pools: { a: { ...sizes, instance_types: ["t3.medium", "t3.medium"] } } }],
    ["node_pools", { node_pools: { a: { ...sizes, instance_types: ["t3.medium", "T3"] } } }],
    ["node_pools", { node_pools: { a: { ...sizes, instance_types: ["m6i.large", "m7g.large"] } } }],
    ["node_pools", { node_pools: { a: { ...sizes, instance_types: ["m6i.large", "g5.xlarge"] } } }],
    ["node_pools", { node_pools: { a: { ...sizes, subnet_ids: ["x"] } } }],
    ["node_pools", { node_pools: { a: { ...sizes, user_data: "x".repeat(13_000) } } }],
    ["node_pools", { node_pools: { a: { ...sizes, tags: { "cloudwright:entity": "x" } } } }],
    ["node_pools", { node_pools: { a: { ...sizes, group_tags: { "aws:x": "x" } } } }],
  ],
  accepted: [
    ...badClusters.accepted,
    { support_type: "AUTO", deletion_protection: true, role_path: "/a/b/", creator_arn: "arn:aws:iam::123456789012:role/a/b" },
    { role_path: null, permissions_boundary_arn: "arn:aws:iam::aws:policy/PowerUserAccess" },
    {
      node_pools: {
        a: {
          ...sizes,
          instance_types: ["m6i.large", "m5.large", "c7i-flex.large"],
          user_data: "[settings]",
          tags: { team: "a" },
        },
        b: { ...sizes, instance_types: ["m7g.large", "r8g.large"], subnet_ids: ["subnet-1"], encrypts_root: false },
      },
    },
  ],
};

/** Cases for the configuration storage/aws. */
export const badStorages: VariableCases = {
  base: { name: "n", region: "eu-west-1", owner },
  rejected: [
    ["name", { bucket: {}, name: "A" }],
    ["region", { bucket: {}, region: "x" }],
    ["volume", { bucket: {}, volume: { zone: "eu-west-1a", size_gib: 1 } }],
    ["volume", {}],
    ["bucket", { bucket: { expire_after_days: -1 } }],
    ["bucket", { bucket: { expire_after_days: 1.5 } }],
    ["bucket", { bucket: { kms_key_arn: "x" } }],
    ["bucket", { bucket: { lifecycle_rules: [{ id: "a" }] } }],
    ["bucket", { bucket: { lifecycle_rules: [{ id: "a", expire_after_days: 0.5 }] } }],
    ["bucket", { bucket: { lifecycle_rules: [{ id: "", expire_after_days: 5 }] } }],
    [
      "bucket",
      {
        bucket: {
          lifecycle_rules: [
            { id: "a", expire_after_days: 5 },
            { id: "a", expire_after_days: 6 },
          ],
        },
      },
    ],
    ["bucket", { bucket: { lifecycle_rules: [{ id: "expire", expire_after_days: 5 }] } }],
    ["bucket", { bucket: { lifecycle_rules: [{ id: "a", transitions: [{ after_days: 10, storage_class: "STANDARD_IA" }] }] } }],
    [
      "bucket",
      {
        bucket: {
          lifecycle_rules: [{ id: "a", expire_after_days: 30, transitions: [{ after_days: 60, storage_class: "GLACIER" }] }],
        },
      },
    ],
    ["bucket", { bucket: { lifecycle_rules: [{ id: "a", transitions: [{ after_days: 60, storage_class: "glacier" }] }] } }],
    ["bucket", { bucket: { replication: { bucket_arn: "arn:aws:s3:::abc" } } }],
    ["bucket", { bucket: { versioning: true, replication: { bucket_arn: "abc" } } }],
    ["bucket", { bucket: { versioning: true, replication: { bucket_arn: "arn:aws:s3:::abc", storage_class: "X" } } }],
    [
      "bucket",
      {
        bucket: {
          versioning: true,
          kms_key_arn: "arn:aws:kms:eu-west-1:123456789012:key/a",
          replication: { bucket_arn: "arn:aws:s3:::abc" },
        },
      },
    ],
    ["volume", { volume: { zone: "eu-west-1a", size_gib: 0 } }],
    ["volume", { volume: { zone: "eu-west-1a", size_gib: 1.5 } }],
    ["volume", { volume: { zone: "eu-west-1a", size_gib: 70000 } }],
    ["volume", { volume: { zone: "eu-west-1a", size_gib: 1, type: "foo" } }],
    ["volume", { volume: { zone: "us-east-1a", size_gib: 1 } }],
    ["volume", { volume: { zone: "eu-west-1", size_gib: 1 } }],
    ["volume", { volume: { zone: "eu-west-1a", size_gib: 1, type: "io2" } }],
    ["volume", { volume: { zone: "eu-west-1a", size_gib: 1, type: "st1", iops: 100 } }],
    ["volume", { volume: { zone: "eu-west-1a", size_gib: 1, type: "gp2", throughput: 200 } }],
    ["volume", { volume: { zone: "eu-west-1a", size_gib: 1, kms_key_arn: "k" } }],
    ["volume", { volume: { zone: "eu-west-1a", size_gib: null } }],
    ["owner", { bucket: {}, owner: { project: "p", entity: "" } }],
    ["tags", { bucket: {}, tags: { "aws:x": "y" } }],
  ],
  accepted: [
    { bucket: {} },
    { volume: { zone: "eu-west-1a", size_gib: 1 } },
    {
      bucket: {
        lifecycle_rules: [
          {
            id: "a",
            transitions: [
              { after_days: 30, storage_class: "STANDARD_IA" },
              { after_days: 90, storage_class: "GLACIER" },
            ],
            expire_after_days: 100,
          },
          { id: "b", abort_uploads_after_days: 1 },
        ],
      },
    },
    { bucket: { versioning: true, replication: { bucket_arn: "arn:aws:s3:::abc", storage_class: "GLACIER" } } },
    { bucket: {}, tags: null },
    { region: "us-west-2", volume: { zone: "us-west-2-lax-1a", size_gib: 1 } },
  ],
};

const allow = JSON.stringify({ Effect: "Allow", Principal: "*", Action: "s3:GetObject" });

/** Cases for the variables that storage/aws v1.2.0 added. */
export const badProtectedStorages: VariableCases = {
  base: badStorages.base,
  rejected: [
    ["bucket", { bucket: { abort_uploads_after_days: -1 } }],
    ["bucket", { bucket: { abort_uploads_after_days: 0.5 } }],
    ["bucket", { bucket: { lifecycle_rules: [{ id: "abort-uploads", expire_after_days: 5 }] } }],
    ["bucket", { bucket: { object_lock: { mode: "GOVERNANCE", days: 1 } } }],
    ["bucket", { bucket: { versioning: true, object_lock: { mode: "governance", days: 1 } } }],
    ["bucket", { bucket: { versioning: true, object_lock: { mode: "COMPLIANCE", days: 0 } } }],
    ["bucket", { bucket: { policy_statements: ["x"] } }],
    ["bucket", { bucket: { policy_statements: ["[]"] } }],
    ["bucket", { bucket: { policy_statements: [allow.replace("Allow", "Permit")] } }],
    ["bucket", { bucket: { policy_statements: [allow.replace("{", '{"Sid":"OnlyTls",')] } }],
  ],
  accepted: [
    { bucket: { abort_uploads_after_days: 7, versioning: true, object_lock: { mode: "COMPLIANCE", days: 36_500 } } },
    { bucket: { policy_statements: [allow] } },
    { volume: { zone: "eu-west-1a", size_gib: 1, final_snapshot: true } },
  ],
};

/** Cases for the variables that network/aws v1.1.0 added. */
export const badLaterNetworks: VariableCases = {
  base: badNetworks.base,
  rejected: [
    ["nat_zone", { nat_zone: "us-east-1a" }],
    ["nat_zone", { nat_zone: "a" }],
    ["secondary_cidr_ranges", { secondary_cidr_ranges: ["100.64.0.0/10"] }],
    ["secondary_cidr_ranges", { secondary_cidr_ranges: ["100.64.0.1/16"] }],
    ["secondary_cidr_ranges", { secondary_cidr_ranges: ["10.0.128.0/17"] }],
    ["secondary_cidr_ranges", { secondary_cidr_ranges: ["100.64.0.0/16", "100.64.8.0/24"] }],
    ["secondary_cidr_ranges", { secondary_cidr_ranges: [1, 2, 3, 4, 5].map((each) => `10.${each}.0.0/16`) }],
    ["controlplane_peer_cidrs", { controlplane_peer_cidrs: ["x"] }],
    ["controlplane_peer_cidrs", { controlplane_peer_cidrs: ["172.16.0.1/16"] }],
    ["aws_private_subnet_cidrs", { secondary_cidr_ranges: ["100.64.0.0/16"], aws_private_subnet_cidrs: ["100.65.0.0/24"] }],
    ["vpc_id", { vpc_id: "vpc-1", aws_azs: [], secondary_cidr_ranges: ["100.64.0.0/16"] }],
  ],
  accepted: [
    { nat: "single", nat_zone: "eu-west-1b" },
    { nat: "single", nat_zone: "eu-west-1c" },
    { secondary_cidr_ranges: ["100.64.0.0/16"], aws_private_subnet_cidrs: ["100.64.0.0/18"], public_ips_on_launch: true },
    { controlplane_peer_cidrs: ["172.16.0.0/12", "0.0.0.0/0"] },
    { secondary_cidr_ranges: null, controlplane_peer_cidrs: null, public_ips_on_launch: null, nat_zone: null },
  ],
};

/** Cases for the variables that network/aws v1.2.0 added. */
export const badCurrentNetworks: VariableCases = {
  base: badNetworks.base,
  rejected: [
    ["former_nat_zones", { former_nat_zones: ["us-east-1a"] }],
    ["former_nat_zones", { former_nat_zones: ["a"] }],
    ["former_nat_zones", { nat: "single", former_nat_zones: ["eu-west-1a", ""] }],
    ["ipv6", { ipv6: true, region: "us-west-2", aws_azs: ["us-west-2-lax-1a", "us-west-2b"] }],
    ["ipv6", { vpc_id: "vpc-1", aws_azs: [], ipv6: true }],
  ],
  accepted: [
    { nat: "single", former_nat_zones: ["eu-west-1a", "eu-west-1b"] },
    { nat: "single", nat_zone: "eu-west-1b", former_nat_zones: ["eu-west-1a", "eu-west-1c"] },
    { nat: "none", former_nat_zones: ["eu-west-1a"] },
    { aws_azs: [], vpc_id: "vpc-0a", former_nat_zones: ["eu-west-1a"] },
    { former_nat_zones: null, ipv6: null },
    { ipv6: true, nat: "single" },
    { ipv6: true, aws_private_subnet_cidrs: ["10.0.0.0/28"] },
  ],
};
