import {
  AttachVolumeCommand,
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateVolumeCommand,
  DeleteSecurityGroupCommand,
  DeleteVolumeCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  DescribeVolumesCommand,
  DescribeVolumesModificationsCommand,
  DetachVolumeCommand,
  ModifyInstanceAttributeCommand,
  ModifyVolumeCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
  type CreateVolumeCommandInput,
  type EC2Client,
} from "@aws-sdk/client-ec2";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openAws, seedSubnets, type AwsUnderTest } from "../testing/open-aws.ts";

let aws: AwsUnderTest;
let ec2: EC2Client;
const hourMs = 3_600_000;

beforeEach(async () => {
  aws = await openAws();
  ec2 = aws.connect(await aws.keysOf("a")).ec2;
  await seedSubnets(aws.inventory, "a");
});
afterEach(() => aws.close());

const nameOf = (error: Error): string => error.name;

async function createVolume(change: Partial<CreateVolumeCommandInput> = {}): Promise<string> {
  const input = { AvailabilityZone: "eu-west-1a", Size: 10, VolumeType: "gp3" as const, Encrypted: true };
  const { VolumeId = "" } = await ec2.send(new CreateVolumeCommand({ ...input, ...change }));
  aws.advance(60_000);
  return VolumeId;
}

async function runInstance(SubnetId = "subnet-a"): Promise<string> {
  const request = { ImageId: "ami-0123456789abcdef0", InstanceType: "t3.micro" as const, SubnetId, MinCount: 1, MaxCount: 1 };
  const { Instances = [] } = await ec2.send(new RunInstancesCommand(request));
  aws.advance(60_000);
  return Instances[0]?.InstanceId ?? "";
}

async function read(id: string) {
  const { Volumes = [] } = await ec2.send(new DescribeVolumesCommand({ VolumeIds: [id] }));
  return Volumes[0];
}

test("M163 a volume is created once per client token, attached, detached and deleted, with EC2's states in between", async () => {
  const input = { AvailabilityZone: "eu-west-1a", Size: 10, VolumeType: "gp3" as const, Encrypted: true, ClientToken: "t" };
  const made = await ec2.send(new CreateVolumeCommand(input));
  expect(made).toMatchObject({ State: "creating", Size: 10, VolumeType: "gp3", Encrypted: true, Iops: 3000 });
  const { VolumeId = "" } = made;
  expect((await ec2.send(new CreateVolumeCommand(input))).VolumeId).toBe(VolumeId);
  await expect(ec2.send(new CreateVolumeCommand({ ...input, Size: 11 })).catch(nameOf)).resolves.toBe(
    "IdempotentParameterMismatch",
  );
  aws.advance(60_000);
  const InstanceId = await runInstance();
  const attach = { VolumeId, InstanceId, Device: "/dev/sdf" };
  expect(await ec2.send(new AttachVolumeCommand(attach))).toMatchObject({ State: "attaching", Device: "/dev/sdf" });
  aws.advance(60_000);
  expect(await read(VolumeId)).toMatchObject({ State: "in-use", Attachments: [{ InstanceId, State: "attached" }] });
  const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [InstanceId] }));
  const mappings = Reservations?.[0]?.Instances?.[0]?.BlockDeviceMappings?.map(({ DeviceName }) => DeviceName);
  expect(mappings).toEqual([expect.any(String), "/dev/sdf"]);
  await expect(ec2.send(new DeleteVolumeCommand({ VolumeId })).catch(nameOf)).resolves.toBe("VolumeInUse");
  expect(await ec2.send(new DetachVolumeCommand({ VolumeId }))).toMatchObject({ State: "detaching" });
  aws.advance(60_000);
  expect(await read(VolumeId)).toMatchObject({ State: "available", Attachments: [] });
  await expect(ec2.send(new DetachVolumeCommand({ VolumeId })).catch(nameOf)).resolves.toBe("IncorrectState");
  await ec2.send(new DeleteVolumeCommand({ VolumeId }));
  aws.advance(60_000);
  await expect(read(VolumeId).catch(nameOf)).resolves.toBe("InvalidVolume.NotFound");
});

test("M163 attachments that EC2 rejects are rejected with its errors, and end with the instance", async () => {
  const [one, two] = [await createVolume(), await createVolume()];
  const far = await createVolume({ AvailabilityZone: "eu-west-1b" });
  const [InstanceId, other] = [await runInstance(), await runInstance()];
  const attach = (VolumeId: string, change: { InstanceId?: string; Device?: string } = {}) =>
    ec2.send(new AttachVolumeCommand({ VolumeId, InstanceId, Device: "/dev/sdf", ...change })).then(() => "", nameOf);
  expect(await attach(far)).toBe("InvalidVolume.ZoneMismatch");
  expect(await attach("vol-0123456789abcdef0")).toBe("InvalidVolume.NotFound");
  expect(await attach(one, { InstanceId: "i-0123456789abcdef0" })).toBe("InvalidInstanceID.NotFound");
  const outcomes = await Promise.all([attach(one), attach(one, { InstanceId: other })]);
  expect(outcomes.toSorted()).toEqual(["", "VolumeInUse"]);
  const winner = outcomes[0] === "" ? InstanceId : other;
  expect(await attach(two, { InstanceId: winner })).toBe("InvalidParameterValue");
  expect(await attach(two, { InstanceId: winner, Device: "/dev/sdg" })).toBe("");
  aws.advance(60_000);
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [winner] }));
  aws.advance(120_000);
  for (const id of [one, two]) expect(await read(id)).toMatchObject({ State: "available", Attachments: [] });
});

test("M163 a volume grows, never shrinks, and can be changed again only after six hours", async () => {
  const VolumeId = await createVolume();
  const modify = (Size: number) => ec2.send(new ModifyVolumeCommand({ VolumeId, Size })).then(() => "", nameOf);
  expect(await modify(5)).toBe("InvalidParameterValue");
  expect(await modify(20)).toBe("");
  const describe = async () =>
    (await ec2.send(new DescribeVolumesModificationsCommand({ VolumeIds: [VolumeId] }))).VolumesModifications?.[0];
  expect(await describe()).toMatchObject({ ModificationState: "modifying", OriginalSize: 10, TargetSize: 20 });
  expect(await modify(30)).toBe("IncorrectModificationState");
  aws.advance(60_000);
  expect(await describe()).toMatchObject({ ModificationState: "completed" });
  expect(await read(VolumeId)).toMatchObject({ Size: 20 });
  expect(await modify(30)).toBe("VolumeModificationRateExceeded");
  aws.advance(6 * hourMs);
  expect(await modify(30)).toBe("");
});

test("M163 a group that a rule or an instance refers to cannot be deleted, and the referring group is found by filter", async () => {
  await aws.inventory.put("a", { type: "aws_vpc", id: "vpc-1", attributes: { id: "vpc-1", region: "eu-west-1" } });
  const create = async (GroupName: string): Promise<string> => {
    const request = { GroupName, Description: "d", VpcId: "vpc-1" };
    return (await ec2.send(new CreateSecurityGroupCommand(request))).GroupId ?? "";
  };
  const [one, two] = [await create("one"), await create("two")];
  const IpPermissions = [one, two].map((GroupId) => ({ IpProtocol: "-1", UserIdGroupPairs: [{ GroupId }] }));
  await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: one, IpPermissions }));
  const Filters = [{ Name: "ip-permission.group-id", Values: [two] }];
  const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand({ Filters }));
  expect(SecurityGroups.map(({ GroupId }) => GroupId)).toEqual([one]);
  const remove = (GroupId: string) => ec2.send(new DeleteSecurityGroupCommand({ GroupId })).then(() => "", nameOf);
  expect(await remove(two)).toBe("DependencyViolation");
  const InstanceId = await runInstance();
  const setGroups = (Groups: string[]) =>
    ec2.send(new ModifyInstanceAttributeCommand({ InstanceId, Groups })).then(() => "", nameOf);
  expect(await setGroups(["sg-0123456789abcdef0"])).toBe("InvalidGroup.NotFound");
  expect(await setGroups([one])).toBe("");
  expect(await remove(one)).toBe("DependencyViolation");
  expect(await setGroups([two])).toBe("");
  expect(await remove(one)).toBe("");
});
