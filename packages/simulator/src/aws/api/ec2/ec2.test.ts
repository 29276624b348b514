import {
  AuthorizeSecurityGroupIngressCommand,
  CreateKeyPairCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateTagsCommand,
  CreateVpcCommand,
  DeleteSecurityGroupCommand,
  DeleteSubnetCommand,
  DeleteVpcCommand,
  DescribeAvailabilityZonesCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DescribeVpcsCommand,
  GetConsoleOutputCommand,
  ImportKeyPairCommand,
  ModifyVpcAttributeCommand,
  RevokeSecurityGroupIngressCommand,
  RunInstancesCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
  type EC2Client,
  type RunInstancesCommandInput,
} from "@aws-sdk/client-ec2";
import { textOf } from "@cloudwright/platform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeConditions } from "../../../cloud/conditions.ts";
import { callProvider } from "../../../testing/call-provider.ts";
import { awsProvider } from "../../provider.ts";
import { openAws, seedSubnets, type AwsUnderTest } from "../testing/open-aws.ts";

let aws: AwsUnderTest;
let ec2: EC2Client;

beforeEach(async () => {
  aws = await openAws();
  ec2 = aws.connect(await aws.keysOf("a")).ec2;
  await seedSubnets(aws.inventory, "a");
});
afterEach(() => aws.close());

const nameOf = (error: Error): string => error.name;
const image = "ami-0123456789abcdef0";

function run(change: Partial<RunInstancesCommandInput> = {}) {
  const request = { ImageId: image, InstanceType: "t3.micro" as const, SubnetId: "subnet-a", MinCount: 1, MaxCount: 1 };
  return ec2.send(new RunInstancesCommand({ ...request, ...change }));
}

async function stateOf(id: string): Promise<string> {
  const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
  return Reservations?.[0]?.Instances?.[0]?.State?.Name ?? "";
}

async function runOne(change: Partial<RunInstancesCommandInput> = {}): Promise<string> {
  const id = (await run(change)).Instances?.[0]?.InstanceId ?? "";
  aws.advance(60_000);
  expect(await stateOf(id)).toBe("running");
  return id;
}

test("M163 networks: a VPC with a subnet and a group is created, described and filtered, cannot be deleted while in use, and is then deleted", async () => {
  const { Vpc } = await ec2.send(
    new CreateVpcCommand({
      CidrBlock: "10.1.0.0/16",
      TagSpecifications: [{ ResourceType: "vpc", Tags: [{ Key: "Name", Value: "one & <two>" }] }],
    }),
  );
  const VpcId = Vpc?.VpcId ?? "";
  const filtered = await ec2.send(new DescribeVpcsCommand({ Filters: [{ Name: "tag:Name", Values: ["one*"] }] }));
  expect(filtered.Vpcs).toMatchObject([{ VpcId, CidrBlock: "10.1.0.0/16", Tags: [{ Key: "Name", Value: "one & <two>" }] }]);
  await ec2.send(new ModifyVpcAttributeCommand({ VpcId, EnableDnsHostnames: { Value: true } }));
  expect(await aws.inventory.find("a", { type: "aws_vpc", id: VpcId })).toMatchObject({
    attributes: { enable_dns_hostnames: true },
  });
  const { Subnet } = await ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock: "10.1.1.0/24", AvailabilityZone: "eu-west-1b" }));
  expect(Subnet).toMatchObject({ AvailabilityZone: "eu-west-1b", AvailableIpAddressCount: 251 });
  const group = await ec2.send(new CreateSecurityGroupCommand({ GroupName: "web", Description: "web", VpcId }));
  const GroupId = group.GroupId ?? "";
  const rule = {
    GroupId,
    IpPermissions: [{ IpProtocol: "tcp", FromPort: 443, ToPort: 443, IpRanges: [{ CidrIp: "0.0.0.0/0" }] }],
  };
  await ec2.send(new AuthorizeSecurityGroupIngressCommand(rule));
  await expect(ec2.send(new AuthorizeSecurityGroupIngressCommand(rule)).catch(nameOf)).resolves.toBe(
    "InvalidPermission.Duplicate",
  );
  const groups = await ec2.send(new DescribeSecurityGroupsCommand({ Filters: [{ Name: "vpc-id", Values: [VpcId] }] }));
  expect(groups.SecurityGroups?.map(({ GroupName }) => GroupName).toSorted()).toEqual(["default", "web"]);
  expect(groups.SecurityGroups?.find(({ GroupName }) => GroupName === "web")).toMatchObject({
    IpPermissions: [{ IpProtocol: "tcp", FromPort: 443, ToPort: 443, IpRanges: [{ CidrIp: "0.0.0.0/0" }] }],
    IpPermissionsEgress: [{ IpProtocol: "-1" }],
  });
  await ec2.send(new RevokeSecurityGroupIngressCommand(rule));
  await expect(ec2.send(new RevokeSecurityGroupIngressCommand(rule)).catch(nameOf)).resolves.toBe("InvalidPermission.NotFound");
  await expect(ec2.send(new DeleteVpcCommand({ VpcId })).catch(nameOf)).resolves.toBe("DependencyViolation");
  await ec2.send(new DeleteSecurityGroupCommand({ GroupId }));
  await ec2.send(new DeleteSubnetCommand({ SubnetId: Subnet?.SubnetId }));
  await ec2.send(new DeleteVpcCommand({ VpcId }));
  await expect(ec2.send(new DescribeVpcsCommand({ VpcIds: [VpcId] })).catch(nameOf)).resolves.toBe("InvalidVpcID.NotFound");
  const left = (await aws.inventory.list("a")).filter(({ type }) => !type.startsWith("cloud_"));
  expect(left.map(({ id }) => id)).toEqual(["subnet-a", "subnet-b"]);
});

test("M163 an instance is started, stopped, started again and terminated, and stays listed as terminated", async () => {
  const reply = await run({
    TagSpecifications: [{ ResourceType: "instance", Tags: [{ Key: "Name", Value: "one" }] }],
    UserData: Buffer.from("#!/bin/sh\n").toString("base64"),
    MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 1 },
    BlockDeviceMappings: [{ DeviceName: "/dev/sda1", Ebs: { VolumeSize: 30, Encrypted: true, VolumeType: "gp3" } }],
  });
  const [made] = reply.Instances ?? [];
  expect(made).toMatchObject({
    State: { Name: "pending", Code: 0 },
    ImageId: image,
    SubnetId: "subnet-a",
    VpcId: "vpc-1",
    Placement: { AvailabilityZone: "eu-west-1a" },
    MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 1 },
    RootDeviceName: "/dev/sda1",
    Tags: [{ Key: "Name", Value: "one" }],
  });
  expect(made?.LaunchTime).toBeInstanceOf(Date);
  const id = made?.InstanceId ?? "";
  aws.advance(60_000);
  expect(await stateOf(id)).toBe("running");
  const { Volumes } = await ec2.send(new DescribeVolumesCommand({ Filters: [{ Name: "attachment.instance-id", Values: [id] }] }));
  expect(Volumes).toMatchObject([{ Size: 30, Encrypted: true, State: "in-use" }]);
  const { Output } = await ec2.send(new GetConsoleOutputCommand({ InstanceId: id }));
  expect(Buffer.from(Output ?? "", "base64").toString()).toContain("BEGIN SSH HOST KEY KEYS");
  const stopped = await ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));
  expect(stopped.StoppingInstances?.[0]).toMatchObject({
    CurrentState: { Name: "stopping" },
    PreviousState: { Name: "running" },
  });
  aws.advance(60_000);
  expect(await stateOf(id)).toBe("stopped");
  await ec2.send(new StartInstancesCommand({ InstanceIds: [id] }));
  aws.advance(60_000);
  expect(await stateOf(id)).toBe("running");
  const ended = await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  expect(ended.TerminatingInstances?.[0]?.CurrentState?.Name).toBe("shutting-down");
  aws.advance(60_000);
  expect(await stateOf(id)).toBe("terminated");
  expect(await aws.inventory.list("a", "aws_instance")).toEqual([]);
  await expect(ec2.send(new StartInstancesCommand({ InstanceIds: [id] })).catch(nameOf)).resolves.toBe("IncorrectInstanceState");
  aws.advance(2 * 3_600_000);
  await expect(ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] })).catch(nameOf)).resolves.toBe(
    "InvalidInstanceID.NotFound",
  );
});

test("M162 the same client token never starts a second machine, even after the first one was terminated", async () => {
  const [one, two] = await Promise.all([1, 2].map(() => run({ ClientToken: "once", MinCount: 2, MaxCount: 2 })));
  const ids = one?.Instances?.map(({ InstanceId }) => InstanceId);
  expect(ids).toHaveLength(2);
  expect(two?.Instances?.map(({ InstanceId }) => InstanceId)).toEqual(ids);
  await expect(run({ ClientToken: "once", MinCount: 2, MaxCount: 2, InstanceType: "t3.small" }).catch(nameOf)).resolves.toBe(
    "IdempotentParameterMismatch",
  );
  const InstanceIds = (ids ?? []).map(String);
  await ec2.send(new TerminateInstancesCommand({ InstanceIds }));
  aws.advance(60_000);
  expect(await stateOf(InstanceIds[0] ?? "")).toBe("terminated");
  const again = await run({ ClientToken: "once", MinCount: 2, MaxCount: 2 });
  expect(again.Instances?.map(({ InstanceId }) => InstanceId)).toEqual(ids);
  expect(await aws.inventory.list("a", "aws_instance")).toEqual([]);
});

test("M149 a full zone, the vCPU quota and invalid input are refused with EC2's errors", async () => {
  await changeConditions(aws.inventory, "a", { fullZones: ["eu-west-1a"], quotas: { "vcpus-per-region": 4 } });
  await expect(run().catch(nameOf)).resolves.toBe("InsufficientInstanceCapacity");
  await runOne({ SubnetId: "subnet-b" });
  await expect(run({ SubnetId: "subnet-b", InstanceType: "m5.xlarge" }).catch(nameOf)).resolves.toBe("VcpuLimitExceeded");
  const refused: readonly (readonly [Partial<RunInstancesCommandInput>, string])[] = [
    [{ SubnetId: "subnet-none" }, "InvalidSubnetID.NotFound"],
    [{ ImageId: "ubuntu" }, "InvalidAMIID.Malformed"],
    [{ InstanceType: "x9.huge" as never }, "InvalidParameterValue"],
    [{ KeyName: "none" }, "InvalidKeyPair.NotFound"],
    [{ SecurityGroupIds: ["sg-none"] }, "InvalidGroup.NotFound"],
    [{ MinCount: 5, MaxCount: 1 }, "InvalidParameterValue"],
    [{ UserData: Buffer.alloc(20_000).toString("base64") }, "InvalidParameterValue"],
    [{ DryRun: true }, "DryRunOperation"],
  ];
  for (const [change, code] of refused) {
    await expect(run({ SubnetId: "subnet-b", ...change }).catch(nameOf)).resolves.toBe(code);
  }
  await expect(ec2.send(new DescribeInstancesCommand({ InstanceIds: ["x"] })).catch(nameOf)).resolves.toBe(
    "InvalidInstanceID.Malformed",
  );
  expect(await aws.inventory.list("a", "aws_instance")).toHaveLength(1);
});

test("M163 a new instance is invisible to others until the cloud's lag is over", async () => {
  await changeConditions(aws.inventory, "a", { lagMs: 30_000 });
  const id = (await run({ SubnetId: "subnet-b" })).Instances?.[0]?.InstanceId ?? "";
  expect(await stateOf(id).catch(nameOf)).toBe("InvalidInstanceID.NotFound");
  aws.advance(60_000);
  expect(await stateOf(id).catch(nameOf)).toBe("running");
});

test("M163 images, keys, zones, tags and pages", async () => {
  const { Images } = await ec2.send(
    new DescribeImagesCommand({
      Owners: ["099720109477"],
      Filters: [
        { Name: "name", Values: ["ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-*"] },
        { Name: "architecture", Values: ["x86_64"] },
      ],
    }),
  );
  expect(Images).toHaveLength(2);
  const { KeyMaterial } = await ec2.send(new CreateKeyPairCommand({ KeyName: "made" }));
  expect(KeyMaterial).toContain("PRIVATE KEY");
  const material = Buffer.from(`ssh-ed25519 ${"A".repeat(68)} me`);
  await ec2.send(new ImportKeyPairCommand({ KeyName: "mine", PublicKeyMaterial: material }));
  await expect(ec2.send(new ImportKeyPairCommand({ KeyName: "mine", PublicKeyMaterial: material })).catch(nameOf)).resolves.toBe(
    "InvalidKeyPair.Duplicate",
  );
  const { AvailabilityZones } = await ec2.send(new DescribeAvailabilityZonesCommand({}));
  expect(AvailabilityZones?.map(({ ZoneName }) => ZoneName)).toEqual(["eu-west-1a", "eu-west-1b", "eu-west-1c"]);
  await ec2.send(new CreateTagsCommand({ Resources: ["subnet-a"], Tags: [{ Key: "role", Value: "elb" }] }));
  const { Subnets } = await ec2.send(new DescribeSubnetsCommand({ Filters: [{ Name: "tag:role", Values: ["elb"] }] }));
  expect(Subnets?.map(({ SubnetId }) => SubnetId)).toEqual(["subnet-a"]);
  const first = await ec2.send(new DescribeSubnetsCommand({ MaxResults: 1 }));
  const second = await ec2.send(new DescribeSubnetsCommand({ MaxResults: 1, NextToken: first.NextToken }));
  expect([first, second].flatMap(({ Subnets: page }) => page?.map(({ SubnetId }) => SubnetId))).toEqual(["subnet-a", "subnet-b"]);
  expect(second.NextToken).toBeUndefined();
});

test("M163 Terraform sees that a machine was stopped through the API, and the API sees Terraform's machines", async () => {
  const terraform = callProvider(awsProvider, { config: { region: "eu-west-1" }, inventory: aws.inventory });
  const { state } = await terraform.create("aws_instance", { ami: image, instance_type: "t3.micro", subnet_id: "subnet-a" });
  const id = textOf(state?.["id"]);
  expect(await stateOf(id)).toBe("running");
  await ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));
  aws.advance(60_000);
  expect(await stateOf(id)).toBe("stopped");
  expect((await terraform.read("aws_instance", state ?? {})).state).toMatchObject({ instance_state: "stopped" });
  await terraform.remove("aws_instance", state ?? {});
  await expect(stateOf(id).catch(nameOf)).resolves.toBe("InvalidInstanceID.NotFound");
});
