import {
  CreateAccessEntryCommand,
  AssociateAccessPolicyCommand,
  CreateClusterCommand,
  CreateNodegroupCommand,
  DeleteClusterCommand,
  DeleteNodegroupCommand,
  DescribeClusterCommand,
  DescribeClusterVersionsCommand,
  DescribeNodegroupCommand,
  DescribeUpdateCommand,
  ListAssociatedAccessPoliciesCommand,
  UpdateAccessEntryCommand,
  ListClustersCommand,
  ListNodegroupsCommand,
  ListTagsForResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateClusterConfigCommand,
  UpdateClusterVersionCommand,
  UpdateNodegroupConfigCommand,
  UpdateNodegroupVersionCommand,
  type EKSClient,
} from "@aws-sdk/client-eks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeConditions } from "../../../cloud/conditions.ts";
import { callProvider } from "../../../testing/call-provider.ts";
import { awsProvider } from "../../provider.ts";
import { openAws, seedSubnets, type AwsUnderTest } from "../testing/open-aws.ts";

let aws: AwsUnderTest;
let eks: EKSClient;

beforeEach(async () => {
  aws = await openAws();
  eks = aws.connect(await aws.keysOf("a")).eks;
  await seedSubnets(aws.inventory, "a");
});
afterEach(() => aws.close());

const request = {
  name: "dev",
  version: "1.33",
  roleArn: "arn:aws:iam::123456789012:role/EksClusterRole",
  resourcesVpcConfig: { subnetIds: ["subnet-b", "subnet-a"] },
  accessConfig: { authenticationMode: "API" },
  tags: { team: "a" },
} as const;
const create = (change: object = {}) => new CreateClusterCommand({ ...request, ...change } as never);
const statusOf = async (name = "dev"): Promise<string> =>
  (await eks.send(new DescribeClusterCommand({ name }))).cluster?.status ?? "";
const groupRequest = {
  clusterName: "dev",
  nodegroupName: "workers",
  nodeRole: "arn:aws:iam::123456789012:role/EksNodeRole",
  subnets: ["subnet-a", "subnet-b"],
  scalingConfig: { minSize: 1, maxSize: 5, desiredSize: 2 },
};
const group = { clusterName: "dev", nodegroupName: "workers" };
const groupStatus = async (): Promise<string> =>
  (await eks.send(new DescribeNodegroupCommand(group)).catch(() => undefined))?.nodegroup?.status ?? "gone";

async function createReady(): Promise<void> {
  await eks.send(create());
  aws.advance(600_000);
  expect(await statusOf()).toBe("ACTIVE");
}

async function createGroup(): Promise<void> {
  await eks.send(new CreateNodegroupCommand(groupRequest));
  aws.advance(600_000);
  expect(await groupStatus()).toBe("ACTIVE");
}

test("M163 a cluster is created, described, listed and deleted, and each change takes time", async () => {
  const { cluster } = await eks.send(create());
  expect(cluster).toMatchObject({
    name: "dev",
    status: "CREATING",
    version: "1.33",
    tags: { team: "a" },
    resourcesVpcConfig: { subnetIds: ["subnet-a", "subnet-b"], vpcId: "vpc-1", endpointPublicAccess: true },
  });
  expect(cluster?.createdAt).toBeInstanceOf(Date);
  expect(cluster?.endpoint).toBeUndefined();
  aws.advance(600_000);
  expect(await statusOf()).toBe("ACTIVE");
  const ready = (await eks.send(new DescribeClusterCommand({ name: "dev" }))).cluster;
  expect(ready?.endpoint).toMatch(/^https:/);
  expect(Buffer.from(ready?.certificateAuthority?.data ?? "", "base64").toString()).toContain("BEGIN CERTIFICATE");
  expect((await eks.send(new ListClustersCommand({}))).clusters).toEqual(["dev"]);
  expect((await eks.send(new DeleteClusterCommand({ name: "dev" }))).cluster?.status).toBe("DELETING");
  await expect(eks.send(new DeleteClusterCommand({ name: "dev" }))).rejects.toMatchObject({ name: "ResourceInUseException" });
  aws.advance(600_000);
  expect(await statusOf().catch((error: Error) => error.name)).toBe("ResourceNotFoundException");
  expect(await aws.inventory.list("a", "aws_eks_cluster")).toEqual([]);
});

test("M163 an accepted deletion is completed in the background, and by the next host after a restart", async () => {
  await createReady();
  await changeConditions(aws.inventory, "a", { timeScale: 0.001 });
  await eks.send(new DeleteClusterCommand({ name: "dev" }));
  await expect.poll(() => aws.inventory.list("a", "aws_eks_cluster")).toEqual([]);
  await changeConditions(aws.inventory, "a", { timeScale: 1 });
  await createReady();
  await eks.send(new DeleteClusterCommand({ name: "dev" }));
  await aws.host.close();
  expect(await aws.inventory.list("a", "aws_eks_cluster")).toHaveLength(1);
  const second = await openAws({ inventory: aws.inventory });
  second.advance(3_000_000);
  const client = second.connect(await second.keysOf("a")).eks;
  expect((await client.send(new ListClustersCommand({}))).clusters).toEqual([]);
  await second.close();
});

test("M163 a deletion does not affect a cluster of the same name that was created afterwards by somebody else", async () => {
  await createReady();
  await eks.send(new DeleteClusterCommand({ name: "dev" }));
  const [record] = await aws.inventory.list("a", "aws_eks_cluster");
  const attributes = { ...record?.attributes, created_at: "2030-01-01T00:00:00.000Z" };
  await aws.inventory.put("a", { type: "aws_eks_cluster", id: "dev", attributes });
  aws.advance(600_000);
  expect(await statusOf()).toBe("ACTIVE");
});

test("M162 a repeated creation with the same token returns the same cluster, and a different request with that token is refused", async () => {
  const [first, second] = await Promise.all([1, 2].map(() => eks.send(create({ clientRequestToken: "once" }))));
  expect(second?.cluster?.arn).toBe(first?.cluster?.arn);
  await expect(eks.send(create({ clientRequestToken: "once", version: "1.34" }))).rejects.toMatchObject({
    name: "ResourceInUseException",
  });
  await expect(eks.send(create({ clientRequestToken: "other" }))).rejects.toMatchObject({ name: "ResourceInUseException" });
  expect(await aws.inventory.list("a", "aws_eks_cluster")).toHaveLength(1);
});

test("M149 invalid requests are refused with EKS's errors", async () => {
  const refusalOf = (change: object): Promise<string> =>
    eks.send(create(change)).then(
      () => "created",
      (error: Error) => error.name,
    );
  expect(await refusalOf({ version: "1.11" })).toBe("InvalidParameterException");
  expect(await refusalOf({ resourcesVpcConfig: { subnetIds: ["subnet-a"] } })).toBe("InvalidParameterException");
  expect(await refusalOf({ resourcesVpcConfig: { subnetIds: ["subnet-a", "nowhere"] } })).toBe("InvalidParameterException");
  expect(await refusalOf({ resourcesVpcConfig: {} })).toBe("InvalidParameterException");
  await changeConditions(aws.inventory, "a", { quotas: { "clusters-per-region": 0 } });
  expect(await refusalOf({})).toBe("ResourceLimitExceededException");
  expect(await aws.inventory.list("a", "cloud_operation")).toEqual([]);
});

test("M163 node groups are created, scaled, relabelled and deleted; a cluster with node groups cannot be deleted", async () => {
  await createReady();
  const { nodegroup } = await eks.send(new CreateNodegroupCommand(groupRequest));
  expect(nodegroup).toMatchObject({ status: "CREATING", version: "1.33", instanceTypes: ["t3.medium"], ...groupRequest });
  aws.advance(600_000);
  expect(await groupStatus()).toBe("ACTIVE");
  expect((await eks.send(new ListNodegroupsCommand({ clusterName: "dev" }))).nodegroups).toEqual(["workers"]);
  await expect(eks.send(new DeleteClusterCommand({ name: "dev" }))).rejects.toMatchObject({ name: "ResourceInUseException" });
  const { update } = await eks.send(
    new UpdateNodegroupConfigCommand({
      ...group,
      scalingConfig: { desiredSize: 3 },
      labels: { addOrUpdateLabels: { tier: "web" } },
      taints: { addOrUpdateTaints: [{ key: "gpu", value: "yes", effect: "NO_SCHEDULE" }] },
    }),
  );
  expect(update).toMatchObject({ status: "InProgress", type: "ConfigUpdate" });
  const updateOf = async () =>
    (await eks.send(new DescribeUpdateCommand({ name: "dev", nodegroupName: "workers", updateId: update?.id }))).update?.status;
  expect([await groupStatus(), await updateOf()]).toEqual(["UPDATING", "InProgress"]);
  aws.advance(600_000);
  expect([await groupStatus(), await updateOf()]).toEqual(["ACTIVE", "Successful"]);
  const changed = (await eks.send(new DescribeNodegroupCommand(group))).nodegroup;
  expect(changed).toMatchObject({
    scalingConfig: { minSize: 1, maxSize: 5, desiredSize: 3 },
    labels: { tier: "web" },
    taints: [{ key: "gpu", value: "yes", effect: "NO_SCHEDULE" }],
  });
  await expect(eks.send(new UpdateNodegroupConfigCommand({ ...group, scalingConfig: { desiredSize: 9 } }))).rejects.toMatchObject(
    { name: "InvalidParameterException" },
  );
  await eks.send(new DeleteNodegroupCommand(group));
  aws.advance(600_000);
  expect(await groupStatus()).toBe("gone");
});

test("M149 a node group whose update never ends stays busy", async () => {
  await createReady();
  await createGroup();
  await aws.faults.add({ operation: "update", type: "aws_eks_node_group", kind: "hang" });
  const scale = (desiredSize: number) => eks.send(new UpdateNodegroupConfigCommand({ ...group, scalingConfig: { desiredSize } }));
  await scale(3);
  expect(await groupStatus()).toBe("UPDATING");
  await expect(scale(4)).rejects.toMatchObject({ name: "ResourceInUseException" });
  await expect(eks.send(new DeleteNodegroupCommand(group))).rejects.toMatchObject({ name: "ResourceInUseException" });
});

test("M163 the control plane is upgraded one minor version at a time, and the node group follows", async () => {
  await createReady();
  await createGroup();
  await expect(eks.send(new UpdateClusterVersionCommand({ name: "dev", version: "1.35" }))).rejects.toMatchObject({
    name: "InvalidParameterException",
  });
  const { update } = await eks.send(new UpdateClusterVersionCommand({ name: "dev", version: "1.34" }));
  expect(update?.type).toBe("VersionUpdate");
  await expect(eks.send(new UpdateClusterVersionCommand({ name: "dev", version: "1.34" }))).rejects.toMatchObject({
    name: "ResourceInUseException",
  });
  aws.advance(600_000);
  expect(await statusOf()).toBe("ACTIVE");
  await eks.send(new UpdateNodegroupVersionCommand(group));
  aws.advance(600_000);
  expect(await groupStatus()).toBe("ACTIVE");
  expect((await eks.send(new DescribeNodegroupCommand(group))).nodegroup?.version).toBe("1.34");
});

test("M163 the configuration of a cluster changes, and a change without effect is refused", async () => {
  await createReady();
  const close = new UpdateClusterConfigCommand({
    name: "dev",
    resourcesVpcConfig: { endpointPublicAccess: false, endpointPrivateAccess: true },
  });
  expect((await eks.send(close)).update).toMatchObject({ type: "EndpointAccessUpdate" });
  aws.advance(600_000);
  expect(await statusOf()).toBe("ACTIVE");
  expect((await eks.send(new DescribeClusterCommand({ name: "dev" }))).cluster?.resourcesVpcConfig).toMatchObject({
    endpointPublicAccess: false,
    endpointPrivateAccess: true,
    subnetIds: ["subnet-a", "subnet-b"],
  });
  await expect(eks.send(close)).rejects.toMatchObject({ name: "InvalidParameterException" });
  await eks.send(new UpdateClusterConfigCommand({ name: "dev", deletionProtection: true }));
  aws.advance(600_000);
  expect(await statusOf()).toBe("ACTIVE");
  await expect(eks.send(new DeleteClusterCommand({ name: "dev" }))).rejects.toMatchObject({ name: "InvalidRequestException" });
});

test("M163 lists come in pages, and a page token is valid only for its own request", async () => {
  for (const name of ["a", "b", "c"]) {
    await aws.inventory.put("a", { type: "aws_eks_cluster", id: name, attributes: { name, region: "eu-west-1" } });
  }
  const first = await eks.send(new ListClustersCommand({ maxResults: 2 }));
  expect(first.clusters).toEqual(["a", "b"]);
  await aws.inventory.delete("a", { type: "aws_eks_cluster", id: "b" });
  const second = await eks.send(new ListClustersCommand({ maxResults: 2, nextToken: first.nextToken }));
  expect([second.clusters, second.nextToken]).toEqual([["c"], undefined]);
  await expect(eks.send(new ListClustersCommand({ nextToken: "x" }))).rejects.toMatchObject({
    name: "InvalidParameterException",
  });
  const elsewhere = aws.connect(await aws.keysOf("a"), { region: "us-east-1" }).eks;
  expect((await elsewhere.send(new ListClustersCommand({}))).clusters).toEqual([]);
  await expect(elsewhere.send(new ListClustersCommand({ nextToken: first.nextToken }))).rejects.toMatchObject({
    name: "InvalidParameterException",
  });
});

test("M163 access entries, their policies, versions and tags", async () => {
  await createReady();
  const principalArn = "arn:aws:iam::123456789012:user/alice";
  await eks.send(new CreateAccessEntryCommand({ clusterName: "dev", principalArn }));
  const change = { clusterName: "dev", principalArn, kubernetesGroups: ["ops", "dev"] };
  const { accessEntry } = await eks.send(new UpdateAccessEntryCommand(change));
  expect(accessEntry).toMatchObject({ principalArn, kubernetesGroups: ["dev", "ops"] });
  const policyArn = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy";
  const associate = (namespaces: string[]) =>
    eks.send(
      new AssociateAccessPolicyCommand({
        clusterName: "dev",
        principalArn,
        policyArn,
        accessScope: { type: "namespace", namespaces },
      }),
    );
  await associate(["x"]);
  await associate(["y"]);
  const { associatedAccessPolicies } = await eks.send(
    new ListAssociatedAccessPoliciesCommand({ clusterName: "dev", principalArn }),
  );
  expect(associatedAccessPolicies).toMatchObject([{ policyArn, accessScope: { type: "namespace", namespaces: ["y"] } }]);
  const { clusterVersions } = await eks.send(new DescribeClusterVersionsCommand({}));
  expect(clusterVersions?.[0]).toMatchObject({ clusterVersion: "1.35", defaultVersion: true });
  const resourceArn = (await eks.send(new DescribeClusterCommand({ name: "dev" }))).cluster?.arn;
  await eks.send(new TagResourceCommand({ resourceArn, tags: { cost: "1" } }));
  await eks.send(new UntagResourceCommand({ resourceArn, tagKeys: ["team"] }));
  expect((await eks.send(new ListTagsForResourceCommand({ resourceArn }))).tags).toEqual({ cost: "1" });
});

test("M163 Terraform and the API share one cloud: each sees what the other created", async () => {
  const terraform = callProvider(awsProvider, { config: { region: "eu-west-1" }, inventory: aws.inventory });
  const { state } = await terraform.create("aws_eks_cluster", {
    name: "made-by-terraform",
    role_arn: request.roleArn,
    version: "1.33",
    vpc_config: [{ subnet_ids: ["subnet-a", "subnet-b"] }],
  });
  expect((await eks.send(new ListClustersCommand({}))).clusters).toEqual(["made-by-terraform"]);
  await eks.send(new UpdateClusterVersionCommand({ name: "made-by-terraform", version: "1.34" }));
  expect((await terraform.read("aws_eks_cluster", state ?? {})).state).toMatchObject({ version: "1.34" });
  await terraform.remove("aws_eks_cluster", state ?? {});
  expect((await eks.send(new ListClustersCommand({}))).clusters).toEqual([]);
});
