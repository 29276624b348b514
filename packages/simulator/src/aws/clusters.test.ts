import { expect, test } from "vitest";
import { textOf } from "../values/read-value.ts";
import { changeConditions } from "../cloud/conditions.ts";
import type { ValueMap } from "../values/value.ts";
import { callProvider, type ProviderCalls } from "../testing/call-provider.ts";
import { awsProvider, createAwsProvider } from "./provider.ts";

const region = "eu-west-1";
const trust = (service: string): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: `${service}.amazonaws.com` } }],
  });

async function make(aws: ProviderCalls, type: string, config: ValueMap): Promise<ValueMap> {
  const { state, said } = await aws.create(type, config);
  if (state === null) throw new Error(said.join());
  return state;
}

interface Cloud {
  readonly aws: ProviderCalls;
  readonly subnets: readonly string[];
  readonly roles: Readonly<Record<"eks" | "ec2" | "pods.eks", string>>;
}

async function openCloud(definition = awsProvider): Promise<Cloud> {
  const aws = callProvider(definition, { config: { region } });
  const vpc = await make(aws, "aws_vpc", { cidr_block: "10.0.0.0/16" });
  const subnets: string[] = [];
  for (const [index, letter] of ["a", "b"].entries()) {
    const range = { cidr_block: `10.0.${index}.0/24`, availability_zone: region + letter };
    subnets.push(textOf((await make(aws, "aws_subnet", { vpc_id: vpc["id"] ?? "", ...range }))["id"]));
  }
  const role = async (service: string): Promise<string> =>
    textOf((await make(aws, "aws_iam_role", { name: `role-${service}`, assume_role_policy: trust(service) }))["arn"]);
  return { aws, subnets, roles: { eks: await role("eks"), ec2: await role("ec2"), "pods.eks": await role("pods.eks") } };
}

const clusterOf = ({ subnets, roles }: Cloud, change: ValueMap = {}): ValueMap => ({
  name: "dev",
  role_arn: roles.eks,
  version: "1.33",
  vpc_config: [{ subnet_ids: subnets }],
  access_config: [{ authentication_mode: "API" }],
  ...change,
});
const groupOf = ({ subnets, roles }: Cloud, change: ValueMap = {}): ValueMap => ({
  cluster_name: "dev",
  node_group_name: "workers",
  node_role_arn: roles.ec2,
  subnet_ids: subnets,
  scaling_config: [{ min_size: 1, desired_size: 2, max_size: 3 }],
  ...change,
});
const say = async (call: Promise<{ readonly said: readonly string[] }>): Promise<string> => (await call).said.join();

test("M120 M121 a cluster has the attributes that EKS computes, and its API has the configured address", async () => {
  const api = { endpoint: "https://127.0.0.1:6443", caPem: "-----BEGIN CERTIFICATE-----" };
  const cloud = await openCloud(
    createAwsProvider({ describeClusterApi: async ({ name }) => ({ ...api, endpoint: `${api.endpoint}/${name}` }) }),
  );
  const state = await make(cloud.aws, "aws_eks_cluster", clusterOf(cloud));
  expect(state).toMatchObject({
    endpoint: "https://127.0.0.1:6443/dev",
    certificate_authority: [{ data: Buffer.from(api.caPem).toString("base64") }],
    status: "ACTIVE",
    vpc_config: [{ endpoint_public_access: true, public_access_cidrs: ["0.0.0.0/0"] }],
    kubernetes_network_config: [{ service_ipv4_cidr: "10.100.0.0/16", ip_family: "ipv4" }],
    upgrade_policy: [{ support_type: "EXTENDED" }],
  });
  const after = await cloud.aws.update("aws_eks_cluster", state, clusterOf(cloud, { version: "1.34" }));
  expect(after.state).toMatchObject({ version: "1.34", endpoint: state["endpoint"] });
  const found = await cloud.aws.data("aws_eks_cluster", { name: "dev" });
  expect(found.state).toMatchObject({ arn: state["arn"], version: "1.34" });
  expect((await cloud.aws.data("aws_eks_cluster_auth", { name: "dev" })).state?.["token"]).toMatch(/^k8s-aws-v1\./);
});

test.each([
  [{ version: "1.12" }, "InvalidParameterException: unsupported Kubernetes version 1.12"],
  [{ role_arn: "nobody" }, "InvalidParameterException: Role with arn: nobody, could not be assumed"],
  [{ name: "-" }, "InvalidParameterException: The cluster name"],
  [{ kubernetes_network_config: [{ service_ipv4_cidr: "10.0.0.0/16" }] }, "overlaps with the CIDR of the VPC"],
])("M120 a cluster with %j is rejected", async (change, words) => {
  const cloud = await openCloud();
  expect(await say(cloud.aws.create("aws_eks_cluster", clusterOf(cloud, change as ValueMap)))).toContain(words);
});

test("M120 M122 a cluster requires two zones, roles that trust EKS and a unique name, and is upgraded one version at a time", async () => {
  const cloud = await openCloud();
  const { aws, subnets, roles } = cloud;
  const create = (change: ValueMap): Promise<string> => say(aws.create("aws_eks_cluster", clusterOf(cloud, change)));
  expect(await create({ vpc_config: [{ subnet_ids: subnets.slice(0, 1) }] })).toContain("at least two different AZs");
  expect(await create({ role_arn: roles.ec2 })).toContain("the trusted entity is not correct");
  const state = await make(aws, "aws_eks_cluster", clusterOf(cloud));
  expect(await create({})).toContain("ResourceInUseException: Cluster already exists with name: dev");
  const leap = aws.update("aws_eks_cluster", state, clusterOf(cloud, { version: "1.35" }));
  expect(await say(leap)).toContain("Unsupported Kubernetes minor version update from 1.33 to 1.35");
  expect((await aws.update("aws_eks_cluster", state, clusterOf(cloud, { name: "other" }))).replaced).toEqual(["name"]);
});

test.each([
  [{ cluster_name: "other" }, "ResourceNotFoundException: No cluster found for name: other."],
  [{ instance_types: ["t9.huge"] }, "InvalidRequestException: The following supplied instance types do not exist: [t9.huge]"],
  [
    { instance_types: ["m7g.large"], ami_type: "BOTTLEROCKET_x86_64" },
    "[m7g.large] is not a valid instance type for requested amiType",
  ],
  [
    { scaling_config: [{ min_size: 3, desired_size: 2, max_size: 3 }] },
    "Minimum capacity 3 can't be greater than desired size 2",
  ],
  [{ scaling_config: [{ min_size: 1, desired_size: 4, max_size: 3 }] }, "desired capacity 4 can't be greater than max size 3"],
  [{ version: "1.34" }, "must not be higher than Cluster version 1.33"],
  [{ subnet_ids: ["subnet-0"] }, "InvalidParameterException: The subnet ID 'subnet-0' does not exist"],
])("M124 a node group with %j is rejected", async (change, words) => {
  const cloud = await openCloud();
  await make(cloud.aws, "aws_eks_cluster", clusterOf(cloud));
  expect(await say(cloud.aws.create("aws_eks_node_group", groupOf(cloud, change as ValueMap)))).toContain(words);
});

test("M125 a node group scales in place, protects its cluster and subnets, and counts against the vCPU quota", async () => {
  const cloud = await openCloud();
  const { aws } = cloud;
  const cluster = await make(aws, "aws_eks_cluster", clusterOf(cloud));
  const state = await make(aws, "aws_eks_node_group", groupOf(cloud));
  expect(state).toMatchObject({ version: "1.33", instance_types: ["t3.medium"], update_config: [{ max_unavailable: 1 }] });
  const scaled = groupOf(cloud, { scaling_config: [{ min_size: 1, desired_size: 3, max_size: 3 }] });
  const grown = await aws.update("aws_eks_node_group", state, scaled);
  expect(grown).toMatchObject({ replaced: [], state: { arn: state["arn"], scaling_config: [{ desired_size: 3 }] } });
  const other = groupOf(cloud, { instance_types: ["m5.large"] });
  expect((await aws.update("aws_eks_node_group", state, other)).replaced).toEqual(["instance_types"]);
  expect(await say(aws.remove("aws_eks_cluster", cluster))).toContain("ResourceInUseException: Cluster has nodegroups attached");
  const [subnet] = await aws.inventory.list("a", "aws_subnet");
  expect(await say(aws.remove("aws_subnet", subnet?.attributes ?? {}))).toContain("DependencyViolation");
  await changeConditions(aws.inventory, "a", { quotas: { "vcpus-per-region": 5 } });
  expect(await say(aws.update("aws_eks_node_group", state, scaled))).toContain("VcpuLimitExceeded");
});

test("M128 M134 add-ons, access entries and pod identities belong to a cluster and are deleted with it", async () => {
  const cloud = await openCloud();
  const { aws, roles } = cloud;
  const cluster = await make(aws, "aws_eks_cluster", clusterOf(cloud));
  const addon = await make(aws, "aws_eks_addon", { cluster_name: "dev", addon_name: "kube-proxy" });
  expect(addon["addon_version"]).toBe("v1.33.5-eksbuild.2");
  expect(await say(aws.create("aws_eks_addon", { cluster_name: "dev", addon_name: "nothing" }))).toContain(
    "is not supported in 1.33",
  );
  const entry = { cluster_name: "dev", principal_arn: roles.ec2 };
  const policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy";
  const granted = { ...entry, policy_arn: policy, access_scope: [{ type: "cluster" }] };
  expect(await say(aws.create("aws_eks_access_policy_association", granted))).toContain("ResourceNotFoundException");
  await make(aws, "aws_eks_access_entry", entry);
  expect(await say(aws.create("aws_eks_access_entry", entry))).toContain("already in use on this cluster");
  await make(aws, "aws_eks_access_policy_association", granted);
  const identity = { cluster_name: "dev", namespace: "kube-system", service_account: "ebs", role_arn: roles["pods.eks"] };
  await make(aws, "aws_eks_pod_identity_association", identity);
  expect(await say(aws.create("aws_eks_pod_identity_association", identity))).toContain("Association already exists: a-");
  expect(await say(aws.remove("aws_eks_cluster", cluster))).toBe("");
  expect((await aws.inventory.list("a")).filter(({ type }) => type.startsWith("aws_eks_"))).toEqual([]);
});

test("M126 IAM rejects a taken name, a malformed trust policy, a missing policy, and the deletion of a role in use", async () => {
  const { aws, roles } = await openCloud();
  const create = (config: ValueMap): Promise<string> => say(aws.create("aws_iam_role", config));
  expect(await create({ name: "role-ec2", assume_role_policy: trust("ec2") })).toContain(
    "EntityAlreadyExists: Role with name role-ec2",
  );
  expect(await create({ name: "new", assume_role_policy: "{" })).toContain("MalformedPolicyDocument");
  const attach = (policy: string, role = "role-ec2"): Promise<string> =>
    say(aws.create("aws_iam_role_policy_attachment", { role, policy_arn: policy }));
  expect(await attach("arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy")).toBe("");
  expect(await attach("arn:aws:iam::123456789012:policy/mine")).toContain("NoSuchEntity: Policy arn");
  expect(await attach("arn:aws:iam::aws:policy/AmazonEKSClusterPolicy", "nobody")).toContain(
    "NoSuchEntity: The role with name nobody",
  );
  const role = await aws.inventory.find("a", { type: "aws_iam_role", id: "role-ec2" });
  expect(role?.attributes["arn"]).toBe(roles.ec2);
  expect(await say(aws.remove("aws_iam_role", role?.attributes ?? {}))).toContain(
    "DeleteConflict: Cannot delete entity, must detach",
  );
});
