import type { Instance, RunInstancesCommandInput } from "@aws-sdk/client-ec2";
import { findNumber, findText, textOf, textsOf } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { ownerTag } from "../../account-view.ts";
import { deriveToken } from "../../library/check-request.ts";
import { createCloudFault, orUndefined, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import type { AwsContext } from "../library/context.ts";
import { findImage } from "../library/images.ts";
import { changeInstance, readInstanceConsole, waitInstanceReady } from "../library/instances.ts";
import {
  checkOwner,
  compareTags,
  findOwned,
  listOwnTags,
  readBlock,
  readTagMap,
  renderOwnerTags,
  sortTexts,
  type PartScope,
} from "./part-support.ts";

/** Tag that records the requested image, because the name of an operating system resolves to newer AMIs over time. */
const imageTag = "cloudwright:image";

/** Tag that records that the instance requested a public address, because a stopped instance has no public address. */
const publicTag = "cloudwright:public-address";

/**
 * Tag that records that the instance requested the VPC's default group, by an empty list of groups. An instance that never had other groups
 * has no tag.
 */
const defaultGroupTag = "cloudwright:default-group";

const readyMs = 10 * 60_000;
const appearMs = 2 * 60_000;

/**
 * EC2 instances. Attributes: `ami` (an ID, or an operating system such as `ubuntu-24.04`), `instance_type`, `subnet_id`,
 * `vpc_security_group_ids` (an empty list means the VPC's default group), `associate_public_ip_address`, `user_data_base64`, `root_block_device` (one block with `volume_size`,
 * `encrypted`), `root_kms_key_id` (the ARN of a key; not part of the block, because AWS chooses a key if none is given),
 * `metadata_options` (one block with `http_tokens`), `instance_state` (`running` or `stopped`), `tags`. A blueprint sets every field of a
 * block that it uses.
 */
export function createInstancePart(context: AwsContext, { entityUid, region }: PartScope): CloudPart {
  const ec2 = createInstanceCalls(context, region);
  const read = async (id: string, signal: AbortSignal): Promise<PartAttributes | undefined> => {
    const found = await orUndefined(ec2.get(id, signal));
    if (found === undefined || isEnded(found)) return undefined;
    const [disk, userData] = [await ec2.findDisk(found, signal), await ec2.findUserData(id, signal)];
    return toAttributes(found, disk, userData);
  };
  const setState = async (id: string, state: string, signal: AbortSignal): Promise<void> => {
    const place = { id, region };
    if (state === "stopped") await changeInstance(context, place, "stop", { signal, timeoutMs: readyMs }, ["stopped"]);
    else if (state === "running") await changeInstance(context, place, "start", { signal, timeoutMs: readyMs }, ["running"]);
    else throw refuseRequest("aws", `instance_state must be running or stopped, not ${state}`);
  };
  const changeGroups = async (now: Instance, groups: readonly string[], signal: AbortSignal): Promise<void> => {
    const { InstanceId: id = "", VpcId = "" } = now;
    if (isDeepStrictEqual([...groups], listRequestedGroups(now))) return;
    const isDefault = groups.length === 0;
    const chosen = isDefault ? [await ec2.findDefaultGroup(VpcId, signal)] : [...groups];
    if (!isDeepStrictEqual(chosen, listGroups(now))) await ec2.setGroups(id, chosen, signal);
    const tags = isDefault ? { set: { [defaultGroupTag]: "true" }, remove: [] } : { set: {}, remove: [defaultGroupTag] };
    if (isDefault || toTags(now)[defaultGroupTag] !== undefined) await ec2.setTags(id, tags, signal);
  };
  return {
    name: "aws_instance",
    immutable: [
      "ami",
      "subnet_id",
      "associate_public_ip_address",
      "user_data_base64",
      "root_block_device",
      "root_kms_key_id",
      "failed",
    ],
    sensitive: ["user_data_base64"],
    async create(attributes, owner, signal) {
      const owned = await ec2.listOwned(owner.entityUid, signal);
      const earlier = owned.find((instance) => findOwned("", toTags(instance), owner.entityUid)?.name === owner.name);
      const { InstanceId: id = "" } = earlier ?? (await sendCreate(context, region, attributes, owner, signal));
      if (textOf(earlier?.State?.Name) !== "stopped")
        await waitInstanceReady(context, { id, region }, { signal, timeoutMs: readyMs }, appearMs);
      if (attributes["instance_state"] === "stopped") await setState(id, "stopped", signal);
      return { id, attributes: (await read(id, signal)) ?? attributes };
    },
    read,
    async update(id, attributes, signal) {
      const now = await ec2.get(id, signal);
      const state = textOf(attributes["instance_state"]);
      const type = textOf(attributes["instance_type"]);
      if (type !== "" && type !== now.InstanceType) {
        await setState(id, "stopped", signal);
        await ec2.setType(id, type, signal);
        if (state !== "stopped") await setState(id, "running", signal);
      }
      const groups = attributes["vpc_security_group_ids"];
      if (groups !== undefined) await changeGroups(now, sortTexts(groups), signal);
      const tokens = textOf(readBlock(attributes["metadata_options"])["http_tokens"]);
      if (tokens !== "" && tokens !== now.MetadataOptions?.HttpTokens) await ec2.setTokens(id, tokens, signal);
      if (attributes["tags"] !== undefined) await ec2.setTags(id, compareTags(toTags(now), attributes["tags"]), signal);
      if (state !== "" && state !== now.State?.Name) await setState(id, state, signal);
      return (await read(id, signal)) ?? attributes;
    },
    async delete(id, signal) {
      const found = await orUndefined(ec2.get(id, signal));
      if (found === undefined || found.State?.Name === "terminated") return;
      checkOwner(`the instance ${id}`, toTags(found), entityUid);
      await orUndefined(changeInstance(context, { id, region }, "terminate", { signal, timeoutMs: readyMs }, ["terminated"]));
    },
    async listOwned(uid, signal) {
      const found = await ec2.listOwned(uid, signal);
      return found.flatMap((instance) => findOwned(instance.InstanceId ?? "", toTags(instance), uid) ?? []);
    },
    async findOwner(id, signal) {
      const found = await orUndefined(ec2.get(id, signal));
      return found === undefined || isEnded(found) ? undefined : toTags(found)[ownerTag];
    },
    readConsole: (id, signal) => readInstanceConsole(context, { id, region }, signal),
  };
}

function isEnded({ State }: Instance): boolean {
  return State?.Name === "terminated" || State?.Name === "shutting-down";
}

function toTags({ Tags = [] }: Instance): Record<string, string> {
  return Object.fromEntries(Tags.map(({ Key = "", Value = "" }) => [Key, Value]));
}

function listGroups({ SecurityGroups = [] }: Instance): string[] {
  return SecurityGroups.map(({ GroupId = "" }) => GroupId).toSorted();
}

/** Returns the groups as the attribute `vpc_security_group_ids` names them. */
function listRequestedGroups(instance: Instance): string[] {
  const [first, ...others] = instance.SecurityGroups ?? [];
  const isDefault = first?.GroupName === "default" && others.length === 0 && toTags(instance)[defaultGroupTag] !== undefined;
  return isDefault ? [] : listGroups(instance);
}

interface Disk {
  readonly sizeGiB: number;
  readonly encrypted: boolean;
  readonly kmsKeyId: string;
}

function toAttributes(instance: Instance, disk: Disk, userData: string): PartAttributes {
  const tags = toTags(instance);
  const state = instance.State?.Name ?? "";
  const [nic] = instance.NetworkInterfaces ?? [];
  return {
    id: instance.InstanceId ?? "",
    ami: tags[imageTag] ?? instance.ImageId ?? "",
    instance_type: instance.InstanceType ?? "",
    subnet_id: instance.SubnetId ?? "",
    vpc_security_group_ids: listRequestedGroups(instance),
    associate_public_ip_address:
      tags[publicTag] === "true" || nic?.Association?.PublicIp !== undefined || findText(instance.PublicIpAddress) !== undefined,
    user_data_base64: userData,
    root_block_device: [{ volume_size: disk.sizeGiB, encrypted: disk.encrypted }],
    root_kms_key_id: disk.kmsKeyId,
    metadata_options: [{ http_tokens: instance.MetadataOptions?.HttpTokens ?? "optional" }],
    instance_state: state === "pending" ? "running" : state === "stopping" ? "stopped" : state,
    tags: listOwnTags(tags),
    ready: state === "running" || state === "stopped",
    failed: false,
    availability_zone: instance.Placement?.AvailabilityZone ?? "",
    private_ip: instance.PrivateIpAddress ?? "",
    public_ip: instance.PublicIpAddress ?? "",
  };
}

async function sendCreate(
  context: AwsContext,
  region: string,
  attributes: PartAttributes,
  owner: PartOwner,
  signal: AbortSignal,
): Promise<Instance> {
  const [ami = "", type = "", subnet = "", userData = ""] = ["ami", "instance_type", "subnet_id", "user_data_base64"].map(
    (field) => textOf(attributes[field]),
  );
  const image = await findImage(context, { image: ami, type, region }, signal);
  const { volume_size: size, encrypted } = readBlock(attributes["root_block_device"]);
  const VolumeSize = findNumber(size) ?? image.sizeGiB;
  const KmsKeyId = textOf(attributes["root_kms_key_id"]);
  const isPublic = attributes["associate_public_ip_address"] === true;
  const Groups = textsOf(attributes["vpc_security_group_ids"]);
  const tokens = findText(readBlock(attributes["metadata_options"])["http_tokens"]) ?? "required";
  const isDefault = attributes["vpc_security_group_ids"] !== undefined && Groups.length === 0;
  const own = {
    [imageTag]: ami,
    ...(isPublic ? { [publicTag]: "true" } : {}),
    ...(isDefault ? { [defaultGroupTag]: "true" } : {}),
  };
  const Tags = Object.entries({ ...renderOwnerTags(attributes, owner), ...own }).map(([Key, Value]) => ({ Key, Value }));
  const input: RunInstancesCommandInput = {
    MinCount: 1,
    MaxCount: 1,
    ClientToken: deriveToken(owner.token, "instance"),
    ImageId: image.id,
    InstanceType: type as NonNullable<RunInstancesCommandInput["InstanceType"]>,
    BlockDeviceMappings: [
      {
        DeviceName: image.rootDevice,
        Ebs: {
          VolumeType: "gp3",
          DeleteOnTermination: true,
          Encrypted: encrypted !== false,
          ...(VolumeSize === undefined ? {} : { VolumeSize }),
          ...(KmsKeyId === "" ? {} : { KmsKeyId }),
        },
      },
    ],
    NetworkInterfaces: [
      {
        DeviceIndex: 0,
        DeleteOnTermination: true,
        AssociatePublicIpAddress: isPublic,
        ...(subnet === "" ? {} : { SubnetId: subnet }),
        ...(Groups.length === 0 ? {} : { Groups }),
      },
    ],
    MetadataOptions: {
      HttpEndpoint: "enabled",
      HttpTokens: tokens as "required",
      ...(tokens === "required" ? { HttpPutResponseHopLimit: 1 } : {}),
    },
    ...(userData === "" ? {} : { UserData: userData }),
    TagSpecifications: (["instance", "volume", "network-interface"] as const).map((ResourceType) => ({ ResourceType, Tags })),
  };
  const made = await context.call(
    { doing: `create ${describeInstance(attributes)} in ${region}`, region, signal },
    async (clients) => {
      const { RunInstancesCommand } = await import("@aws-sdk/client-ec2");
      return (await (await clients.ec2()).send(new RunInstancesCommand(input))).Instances?.[0] ?? {};
    },
  );
  if (!isEnded(made)) return made;
  throw createCloudFault(`EC2 returned the instance ${made.InstanceId}, which is ${made.State?.Name}; plan again`, {
    cloud: "aws",
    category: "conflict",
  });
}

/** Returns the words for a new instance in messages. The tag `Name` is the name that its owner knows, and a resource's name is not. */
function describeInstance({ tags, instance_type: type }: PartAttributes): string {
  const name = readTagMap(tags)["Name"] ?? "";
  return name === "" ? `an instance of the type ${textOf(type)}` : `the instance ${name}`;
}

function createInstanceCalls(context: AwsContext, region: string) {
  const call = <Answer>(doing: string, signal: AbortSignal, send: Parameters<typeof context.call<Answer>>[1]): Promise<Answer> =>
    context.call({ doing, region, signal }, send);
  const change = (id: string, input: object, signal: AbortSignal): Promise<void> =>
    call(`change the instance ${id}`, signal, async (clients) => {
      const { ModifyInstanceAttributeCommand } = await import("@aws-sdk/client-ec2");
      await (await clients.ec2()).send(new ModifyInstanceAttributeCommand({ InstanceId: id, ...input }));
    });
  return {
    get: (id: string, signal: AbortSignal): Promise<Instance> =>
      call(`read the instance ${id}`, signal, async (clients) => {
        const { DescribeInstancesCommand } = await import("@aws-sdk/client-ec2");
        const { Reservations = [] } = await (await clients.ec2()).send(new DescribeInstancesCommand({ InstanceIds: [id] }));
        const [found] = Reservations.flatMap(({ Instances = [] }) => Instances);
        if (found !== undefined) return found;
        throw createCloudFault(`there is no instance ${id} in ${region}`, { cloud: "aws", category: "not_found" });
      }),
    listOwned: (uid: string, signal: AbortSignal): Promise<Instance[]> =>
      call("list the entity's instances", signal, async (clients) => {
        const { paginateDescribeInstances } = await import("@aws-sdk/client-ec2");
        const Filters = [{ Name: `tag:${ownerTag}`, Values: [uid] }];
        const found: Instance[] = [];
        for await (const { Reservations = [] } of paginateDescribeInstances({ client: await clients.ec2() }, { Filters }))
          found.push(...Reservations.flatMap(({ Instances = [] }) => Instances));
        return found.filter((instance) => !isEnded(instance));
      }),
    async findDisk({ RootDeviceName, BlockDeviceMappings = [] }: Instance, signal: AbortSignal): Promise<Disk> {
      const id = BlockDeviceMappings.find(({ DeviceName }) => DeviceName === RootDeviceName)?.Ebs?.VolumeId;
      if (id === undefined) return { sizeGiB: 0, encrypted: false, kmsKeyId: "" };
      return call(`read the volume ${id}`, signal, async (clients) => {
        const { DescribeVolumesCommand } = await import("@aws-sdk/client-ec2");
        const { Volumes = [] } = await (await clients.ec2()).send(new DescribeVolumesCommand({ VolumeIds: [id] }));
        const [{ Size = 0, Encrypted = false, KmsKeyId = "" } = {}] = Volumes;
        return { sizeGiB: Size, encrypted: Encrypted, kmsKeyId: KmsKeyId };
      });
    },
    findUserData: (id: string, signal: AbortSignal): Promise<string> =>
      call(`read the user data of the instance ${id}`, signal, async (clients) => {
        const { DescribeInstanceAttributeCommand } = await import("@aws-sdk/client-ec2");
        const command = new DescribeInstanceAttributeCommand({ InstanceId: id, Attribute: "userData" });
        return (await (await clients.ec2()).send(command)).UserData?.Value ?? "";
      }),
    setType: (id: string, type: string, signal: AbortSignal) => change(id, { InstanceType: { Value: type } }, signal),
    async findDefaultGroup(vpcId: string, signal: AbortSignal): Promise<string> {
      const found = await call(`find the default security group of ${vpcId}`, signal, async (clients) => {
        const { DescribeSecurityGroupsCommand } = await import("@aws-sdk/client-ec2");
        const Filters = [
          { Name: "vpc-id", Values: [vpcId] },
          { Name: "group-name", Values: ["default"] },
        ];
        return (await (await clients.ec2()).send(new DescribeSecurityGroupsCommand({ Filters }))).SecurityGroups?.[0]?.GroupId;
      });
      if (found !== undefined) return found;
      throw createCloudFault(`there is no default security group in ${vpcId}`, { cloud: "aws", category: "not_found" });
    },
    setGroups: (id: string, Groups: string[], signal: AbortSignal) => change(id, { Groups }, signal),
    setTokens: (id: string, tokens: string, signal: AbortSignal): Promise<void> =>
      call(`change the metadata options of the instance ${id}`, signal, async (clients) => {
        const { ModifyInstanceMetadataOptionsCommand } = await import("@aws-sdk/client-ec2");
        const input = { InstanceId: id, HttpTokens: tokens as "required" };
        await (await clients.ec2()).send(new ModifyInstanceMetadataOptionsCommand(input));
      }),
    setTags: (id: string, { set, remove }: ReturnType<typeof compareTags>, signal: AbortSignal): Promise<void> =>
      call(`tag the instance ${id}`, signal, async (clients) => {
        const { CreateTagsCommand, DeleteTagsCommand } = await import("@aws-sdk/client-ec2");
        const client = await clients.ec2();
        const Tags = Object.entries(set).map(([Key, Value]) => ({ Key, Value }));
        if (Tags.length > 0) await client.send(new CreateTagsCommand({ Resources: [id], Tags }));
        if (remove.length > 0)
          await client.send(new DeleteTagsCommand({ Resources: [id], Tags: remove.map((Key) => ({ Key })) }));
      }),
  };
}
