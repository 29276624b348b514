import type { ConformanceCase, Variables } from "../conformance-case.ts";

const region = "eu-west-1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const newest = "kubernetes/aws/v1.1.0";
const second = "kubernetes/aws/v1.0.0";
const subnets = ["{subnet a}", "{subnet b}"];
const arnOf = (path: string): string => `arn:aws:iam::123456789012:${path}`;
const keyArn = `arn:aws:kms:${region}:123456789012:key/0f5b7a52-0000-4000-8000-000000000000`;
const base: Variables = { cluster_name: "edge", region, controlplane_subnet_ids: subnets, private_subnet_ids: subnets, owner };

const taints = [
  { key: "only", value: "arm", effect: "NoSchedule" },
  { key: "bare", effect: "NoExecute" },
];
/** Node pools that together use every pool setting of v1.0.0. */
const pools = {
  arm: {
    instance_type: "m7g.large",
    min: 0,
    desired: 1,
    max: 3,
    capacity: "spot",
    disk_size_gib: 40,
    zones: [`${region}a`],
    labels: { for: "arm" },
    taints,
  },
  plain: { instance_type: "m6i.large", min: 1, desired: 1, max: 2 },
};

/** All settings of v1.0.0, each with a non-default value. */
const rich: Variables = {
  ...base,
  cluster_version: "1.34",
  vpc_id: "{vpc}",
  public_access_cidrs: ["192.0.2.0/24"],
  service_cidr: "172.30.0.0/16",
  log_types: ["api", "audit"],
  log_retention_days: 30,
  access_entries: {
    [arnOf("role/ops")]: { policy: "view", namespaces: ["web"] },
    [arnOf("user/ann")]: { groups: ["viewers"] },
  },
  addons: {
    "vpc-cni": { version: "v1.20.4-eksbuild.1", configuration: '{"enableNetworkPolicy":"true"}', chosen_for: "1.33" },
    coredns: { installed: true },
    "aws-ebs-csi-driver": {},
  },
  pod_identities: { "web/app": arnOf("role/app") },
  load_balancer_controller: false,
  karpenter: { enabled: true, namespace: "karpenter", service_account: "controller" },
  node_pools: pools,
  tags: { team: "a" },
};

const roles = {
  cluster: arnOf("role/eks"),
  nodes: arnOf("role/nodes"),
  ebs_csi: arnOf("role/ebs"),
  load_balancer_controller: arnOf("role/lb"),
  karpenter: arnOf("role/karpenter"),
  karpenter_nodes: arnOf("role/karpenter-nodes"),
};

/** A cluster that has no public endpoint and uses roles, a key and public subnets provided by the user. */
const borrowed: Variables = {
  ...base,
  private_subnet_ids: [],
  public_subnet_ids: subnets,
  public_access: false,
  kms_key_arn: keyArn,
  roles,
  karpenter: { enabled: true },
};

/** All settings added in v1.1.0. */
const later: Variables = {
  support_type: "STANDARD",
  kept_defaults: { since: "v1.1.0", public_access_cidrs: ["192.0.2.1/32"], support_type: "STANDARD" },
  deletion_protection: true,
  creator_arn: arnOf("role/agent"),
  role_path: "/platform/",
  permissions_boundary_arn: "arn:aws:iam::aws:policy/PowerUserAccess",
  node_volume_kms_key_arn: keyArn,
  addons: { ...(rich["addons"] as object), "aws-efs-csi-driver": {}, adot: {}, "amazon-cloudwatch-observability": {} },
  node_pools: {
    ...pools,
    plain: { ...pools.plain, subnet_ids: ["{subnet a}"], tags: { cost: "1" }, group_tags: { cost: "2" }, encrypts_root: false },
    spot: {
      ...pools.plain,
      instance_types: ["m6i.large", "m5.large"],
      capacity: "spot",
      user_data: '[settings.kernel]\nlockdown = "integrity"\n',
    },
  },
};

const logGroup = { id: "/aws/eks/edge-456789ab/cluster" };

const first: Variables = {
  name: "edge",
  region,
  kubernetes_version: "1.33",
  subnets: { control_plane: subnets, workers: subnets },
  endpoint: { public: true, public_cidrs: ["192.0.2.0/24"] },
  service_cidr: "172.30.0.0/16",
  log_types: ["api"],
  node_pools: pools,
  owner,
  tags: { team: "a" },
};

/** The settings of `first`, expressed in the variables of v1.0.0 and later. */
const firstLater: Variables = {
  ...base,
  cluster_version: "1.33",
  public_access_cidrs: ["192.0.2.0/24"],
  addons: {},
  load_balancer_controller: false,
};

/** The cases of the cluster configurations. */
export const kubernetesCases: readonly ConformanceCase[] = [
  { title: "defaults", place: newest, variables: base },
  {
    title: "every setting, and changes to live settings",
    place: newest,
    variables: { ...rich, ...later },
    changes: [
      // Changing tags does not change launch templates, so no node is replaced.
      { variables: { tags: { team: "b", cost: "3" } } },
      {
        variables: {
          public_access_cidrs: ["192.0.2.0/24", "198.51.100.0/24"],
          log_types: ["api", "audit", "scheduler"],
          log_retention_days: 60,
          access_entries: { [arnOf("role/ops")]: { policy: "edit" }, [arnOf("user/ann")]: { groups: ["viewers", "editors"] } },
          pod_identities: { "web/app": arnOf("role/other") },
          load_balancer_controller: true,
          support_type: "EXTENDED",
          deletion_protection: false,
          node_pools: {
            ...(later["node_pools"] as object),
            plain: {
              ...pools.plain,
              subnet_ids: ["{subnet a}"],
              desired: 2,
              max: 4,
              labels: { a: "b" },
              taints: taints.slice(1),
            },
          },
        },
        mayRemove: /^aws_eks_access_policy_association\./,
      },
      { variables: { cluster_version: "1.35" } },
      {
        variables: { log_types: [], karpenter: { enabled: false } },
        mayRemove: /^aws_(cloudwatch|sqs|iam|eks_access_entry|eks_pod)/,
      },
    ],
  },
  {
    title: "pools are added, changed and removed, and public access to the endpoint is turned off and on",
    place: newest,
    variables: {
      ...base,
      cluster_version: "1.34",
      support_type: "AUTO",
      log_types: ["audit"],
      node_pools: { a: pools.plain, b: pools.plain },
    },
    changes: [
      {
        variables: {
          public_access: false,
          node_pools: {
            a: { ...pools.plain, instance_type: "m6i.xlarge", disk_size_gib: 50 },
            c: { ...pools.plain, zones: [`${region}b`] },
          },
        },
        mayRemove: /^aws_(eks_node_group|launch_template)\./,
      },
      {
        variables: { public_access: true, public_access_cidrs: ["198.51.100.7/32"], addons: { "vpc-cni": {} }, node_pools: {} },
        mayRemove:
          /^aws_(eks_node_group|launch_template|eks_addon|eks_pod_identity_association|iam_role|iam_role_policy_attachment)\./,
      },
    ],
  },
  { title: "existing roles, keys and subnets", place: newest, variables: borrowed },
  {
    title: "every setting of v1.0.0, upgraded",
    place: second,
    variables: rich,
    changes: [{ place: newest, variables: { node_pools: keepV1(pools) } }],
  },
  { title: "existing roles, keys and subnets, upgraded", place: second, variables: borrowed, changes: [{ place: newest }] },
  {
    title: "upgraded from v0.1.0 with logs through v1.0.0",
    place: "kubernetes/aws/v0.1.0",
    variables: first,
    changes: [
      {
        place: second,
        variables: firstLater,
        adopts: { 'aws_cloudwatch_log_group.cluster["made"]': logGroup },
        mayRemove: /^aws_eks_node_group\./,
      },
      { place: newest, variables: { node_pools: keepV1(pools) } },
    ],
  },
  {
    title: "upgraded from v0.1.0 with administrators and existing roles",
    place: "kubernetes/aws/v0.1.0",
    variables: { ...first, roles: { cluster: roles.cluster, nodes: roles.nodes }, admins: [arnOf("role/ops")] },
    changes: [
      {
        place: newest,
        variables: { ...firstLater, access_entries: { [arnOf("role/ops")]: { policy: "cluster-admin" } } },
        adopts: { 'aws_cloudwatch_log_group.cluster["made"]': logGroup },
        mayRemove: /^aws_eks_node_group\./,
      },
    ],
  },
];

/** Marks pools as created by v1.0.0, as the platform does. That version encrypted only the second disk. */
function keepV1(from: Readonly<Record<string, object>>): Variables {
  return Object.fromEntries(Object.entries(from).map(([name, pool]) => [name, { ...pool, encrypts_root: false }]));
}
