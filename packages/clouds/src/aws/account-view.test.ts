import { requireTool, Secret, systemClock } from "@cloudwright/platform";
import { CreateClusterCommand } from "@aws-sdk/client-eks";
import {
  AllocateAddressCommand,
  AssociateRouteTableCommand,
  CreateInternetGatewayCommand,
  CreateNatGatewayCommand,
  CreateRouteTableCommand,
  CreateSubnetCommand,
  CreateTagsCommand,
  CreateVpcCommand,
  DescribeSecurityGroupsCommand,
  RunInstancesCommand,
} from "@aws-sdk/client-ec2";
import { CreateRoleCommand } from "@aws-sdk/client-iam";
import { CreateBucketCommand, PutBucketTaggingCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMotoServer, type MotoServer } from "../testing/index.ts";
import { createAwsApi, type AwsApi } from "./api.ts";
import { createCredentialSource } from "./credentials.ts";
import { listTaggedResources, readArn } from "./owned-resources.ts";
import { listDeniedActions, toPrincipal } from "./permissions/list-denied.ts";
import { createAwsView } from "./account-view.ts";
import type { AccountView } from "../account-view.ts";
import { verifyAwsAccount } from "./identity.ts";

const moto = requireTool("moto_server");

test("M223 a session has the policies of its role, and the root user has none", () => {
  expect(toPrincipal("arn:aws:sts::123456789012:assumed-role/builder/session")).toBe("arn:aws:iam::123456789012:role/builder");
  expect(toPrincipal("arn:aws:iam::123456789012:user/ada")).toBe("arn:aws:iam::123456789012:user/ada");
  expect(toPrincipal("arn:aws:iam::123456789012:root")).toBeUndefined();
});

test("X031 an ARN is translated to Terraform's resource type and ID", () => {
  const known = {
    "arn:aws:eks:eu-west-1:123456789012:cluster/main": ["aws_eks_cluster", "main"],
    "arn:aws:eks:eu-west-1:123456789012:nodegroup/main/pool/uuid": ["aws_eks_node_group", "main:pool"],
    "arn:aws:iam::123456789012:role/team/builder": ["aws_iam_role", "builder"],
    "arn:aws:s3:::words": ["aws_s3_bucket", "words"],
    "arn:aws:logs:eu-west-1:123456789012:log-group:/aws/eks/main/cluster": ["aws_cloudwatch_log_group", "/aws/eks/main/cluster"],
  };
  for (const [arn, [type, id]] of Object.entries(known)) expect(readArn(arn)).toEqual({ type, id });
  const eks = "arn:aws:eks:eu-west-1:123456789012";
  expect(readArn(`${eks}:access-entry/main/role/123456789012/ops/uuid`)).toEqual({
    type: "aws_eks_access_entry",
    id: "main:arn:aws:iam::123456789012:role/ops",
  });
  expect(readArn(`${eks}:podidentityassociation/main/a-1`)).toEqual({
    type: "aws_eks_pod_identity_association",
    id: "a-1",
    importId: "main,a-1",
  });
  expect(readArn("arn:aws:sqs:eu-west-1:123456789012:events")).toEqual({
    type: "aws_sqs_queue",
    id: "https://sqs.eu-west-1.amazonaws.com/123456789012/events",
  });
  expect(readArn("arn:aws:dynamodb:eu-west-1:123456789012:table/t")).toBeUndefined();
});

describe.skipIf(!moto.found)(`X013 a real account${moto.found ? "" : `: ${moto.reason}`}`, () => {
  let server: MotoServer;
  let api: AwsApi;
  let view: AccountView;
  const ours = [
    { Key: "cloudwright:entity", Value: "us" },
    { Key: "cloudwright:part", Value: "this" },
  ];
  const tag = (ResourceType: string) => ({ TagSpecifications: [{ ResourceType: ResourceType as "vpc", Tags: ours }] });

  beforeAll(async () => {
    server = await startMotoServer(moto.found ? moto.path : "");
    const endpoints = { AWS_ENDPOINT_URL: server.address };
    const keys = { by: "keys", accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: new Secret("s") } as const;
    const openAccess = async () => ({ first: keys });
    const options = { endpoints, region: "eu-west-1", sessionName: "t" };
    api = createAwsApi(createCredentialSource({ clock: systemClock, openAccess }, options), options);
    view = createAwsView(api, () => verifyAwsAccount(api, "prod", "123456789012"));
  });
  afterAll(async () => {
    api.close();
    await server.close();
  });

  test("is read through the official SDK: identity, machine types, permissions, resources and owners", async () => {
    const { vpc, subnet, table, group } = await api.call("make something", async (clients) => {
      const ec2 = await clients.ec2();
      const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: "10.7.0.0/16", ...tag("vpc") }));
      const VpcId = Vpc?.VpcId ?? "";
      const Filters = [{ Name: "vpc-id", Values: [VpcId] }];
      const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand({ Filters }));
      const GroupId = SecurityGroups[0]?.GroupId ?? "";
      await ec2.send(new CreateTagsCommand({ Resources: [GroupId], Tags: ours }));
      const made = await ec2.send(
        new CreateSubnetCommand({ VpcId, CidrBlock: "10.7.0.0/24", AvailabilityZone: "eu-west-1b", ...tag("subnet") }),
      );
      const SubnetId = made.Subnet?.SubnetId ?? "";
      const { AllocationId = "" } = await ec2.send(new AllocateAddressCommand({ Domain: "vpc", ...tag("elastic-ip") }));
      await ec2.send(new CreateNatGatewayCommand({ SubnetId, AllocationId, ...tag("natgateway") }));
      await ec2.send(new CreateInternetGatewayCommand(tag("internet-gateway")));
      const { RouteTable } = await ec2.send(new CreateRouteTableCommand({ VpcId, ...tag("route-table") }));
      const RouteTableId = RouteTable?.RouteTableId ?? "";
      await ec2.send(new AssociateRouteTableCommand({ SubnetId, RouteTableId }));
      await ec2.send(new RunInstancesCommand({ ImageId: "ami-12c6146b", InstanceType: "m5.large", MinCount: 2, MaxCount: 2 }));
      const eks = await clients.eks();
      const roleArn = "arn:aws:iam::123456789012:role/eks";
      await eks.send(
        new CreateClusterCommand({ name: "main", roleArn, resourcesVpcConfig: {}, tags: { "cloudwright:entity": "us" } }),
      );
      const RoleName = "main-us-cluster";
      await (await clients.iam()).send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: "{}", Tags: ours }));
      const s3 = await clients.s3();
      const CreateBucketConfiguration = { LocationConstraint: "eu-west-1" as const };
      await s3.send(new CreateBucketCommand({ Bucket: "words", CreateBucketConfiguration }));
      await s3.send(new PutBucketTaggingCommand({ Bucket: "words", Tagging: { TagSet: ours } }));
      await s3.send(new CreateBucketCommand({ Bucket: "theirs", CreateBucketConfiguration }));
      return { vpc: VpcId, subnet: SubnetId, table: RouteTableId, group: GroupId };
    });
    expect(await view.getIdentity()).toMatchObject({ accountId: "123456789012" });
    expect(await view.listZones()).toEqual(["eu-west-1a", "eu-west-1b", "eu-west-1c"]);
    expect(await view.listNetworks()).toContainEqual({ id: vpc, ranges: ["10.7.0.0/16"], owner: "us" });
    expect(await view.listPublicIps()).toEqual([{ owner: "us" }]);
    expect(await view.listNatGateways()).toEqual([{ zone: "eu-west-1b", owner: "us" }]);
    expect(await view.listInternetGateways()).toEqual([{ owner: "us" }]);
    expect(await view.listMachines()).toHaveLength(2);
    expect(await view.listOffered(["m5.large", "nothing.large"])).toMatchObject([
      { name: "m5.large", vcpus: 2, zones: expect.arrayContaining(["eu-west-1a"]) as unknown },
    ]);
    expect([await view.findCluster("main"), await view.findCluster("other")]).toEqual([{ owner: "us" }, undefined]);
    expect([await view.findBucket("words"), await view.findBucket("theirs"), await view.findBucket("free-name")]).toEqual([
      { owner: "us" },
      {},
      undefined,
    ]);
    const owned = await listTaggedResources(api, { key: "cloudwright:entity", value: "us" });
    const part = { tags: { "cloudwright:entity": "us", "cloudwright:part": "this" } };
    expect(owned).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "aws_vpc", id: vpc, ...part }),
        expect.objectContaining({ type: "aws_subnet", id: subnet, ...part }),
        expect.objectContaining({ type: "aws_default_security_group", id: group, ...part }),
        expect.objectContaining({ type: "aws_nat_gateway", ...part }),
        expect.objectContaining({ type: "aws_eip", ...part }),
        expect.objectContaining({ type: "aws_route_table", id: table, ...part }),
        expect.objectContaining({ type: "aws_route_table_association", importId: `${subnet}/${table}`, names: [subnet, table] }),
        expect.objectContaining({ type: "aws_s3_bucket", id: "words", ...part }),
        expect.objectContaining({ type: "aws_iam_role", id: "main-us-cluster", ...part }),
      ]),
    );
    expect(await listTaggedResources(api, { key: "cloudwright:entity", value: "nobody" })).toEqual([]);
  });

  test("lists the supported Kubernetes versions", async () => {
    const body = JSON.stringify({ clusterVersions: [{ clusterVersion: "1.34" }, { clusterVersion: "1.33" }] });
    // moto does not implement DescribeClusterVersions.
    server.refuse(({ path }) => (path === "/cluster-versions" ? { status: 200, body } : undefined));
    expect(await view.listVersions()).toEqual(["1.34", "1.33"]);
    server.refuse(undefined);
  });

  test("M223 lists the actions that its policies deny, or nothing if it is not allowed to simulate policies", async () => {
    const user = "arn:aws:iam::123456789012:user/ada";
    const answer = (body: string, status = 200) =>
      server.refuse(({ action }) => (action === "SimulatePrincipalPolicy" ? { status, body } : undefined));
    const result = (name: string, decision: string): string =>
      `<member><EvalActionName>${name}</EvalActionName><EvalDecision>${decision}</EvalDecision></member>`;
    const results =
      result("ec2:CreateVpc", "allowed") + result("eks:CreateCluster", "implicitDeny") + result("iam:PassRole", "explicitDeny");
    answer(
      `<SimulatePrincipalPolicyResponse><SimulatePrincipalPolicyResult><EvaluationResults>${results}</EvaluationResults></SimulatePrincipalPolicyResult></SimulatePrincipalPolicyResponse>`,
    );
    expect(await listDeniedActions(api, user, ["ec2:CreateVpc", "eks:CreateCluster", "iam:PassRole"])).toEqual([
      "eks:CreateCluster",
      "iam:PassRole",
    ]);
    answer("<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>", 403);
    expect(await listDeniedActions(api, user, ["ec2:CreateVpc"])).toBeUndefined();
    server.refuse(undefined);
  });

  test("reports its quotas, or AWS's defaults if none are recorded", async () => {
    expect(await view.getLimits()).toMatchObject({ networks: 5, publicIps: 5, natGatewaysPerZone: 5, internetGateways: 5 });
  });
});
