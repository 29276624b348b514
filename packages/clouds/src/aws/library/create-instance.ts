import type { Instance, RunInstancesCommandInput } from "@aws-sdk/client-ec2";
import type { CreateOptions } from "../../library/call-options.ts";
import { checkCount, checkText, deriveToken, readToken } from "../../library/check-request.ts";
import { createCloudFault, refuseRequest } from "../../library/errors.ts";
import type { InstanceRequest } from "../../library/instances.ts";
import { tokenTag, type AwsContext } from "./context.ts";
import { findImage, type InstanceImage } from "./images.ts";
import { renderUserData } from "./user-data.ts";

/** Tag that records the user for SSH. */
export const userTag = "cloudwright:user";

/** Sends the request to create an instance and returns EC2's response. A repeated call with the same token returns the same instance. */
export async function runInstance(
  context: AwsContext,
  request: InstanceRequest,
  region: string,
  options: CreateOptions,
): Promise<Instance> {
  const { signal } = options;
  checkInstance(request);
  const token = readToken("aws", options);
  // EC2 forgets tokens after a while. The tag identifies the instance of an earlier call for as long as the instance exists.
  const earlier = options.token === undefined ? undefined : await findByToken(context, token, region, signal);
  if (earlier !== undefined) return checkAlive(earlier, options);
  const image = await findImage(context, { image: request.image, type: request.type, region }, signal);
  const user = request.user ?? image.user;
  const UserData = renderUserData({
    sshKeys: request.sshKeys ?? [],
    user,
    imageUser: image.user,
    userData: request.userData,
  });
  const place = await choosePlace(context, request, region, signal);
  const input: RunInstancesCommandInput = {
    ...request.native,
    ...renderInstance(request, image),
    ...(UserData === undefined ? {} : { UserData }),
    ...place,
    ClientToken: deriveToken(token, "instance"),
    MinCount: 1,
    MaxCount: 1,
    TagSpecifications: renderTags({
      ...context.options.tags,
      ...request.tags,
      Name: request.name,
      [userTag]: user,
      [tokenTag]: token,
    }),
  };
  const doing = `create the instance ${request.name} in ${region}`;
  const made = await context.call({ doing, region, signal }, async (clients) => {
    const { RunInstancesCommand } = await import("@aws-sdk/client-ec2");
    return (await (await clients.ec2()).send(new RunInstancesCommand(input))).Instances?.[0] ?? {};
  });
  return checkAlive(made, options);
}

function checkInstance({ name, image, type, region, zone, rootDisk, securityGroups, native = {} }: InstanceRequest): void {
  checkText("aws", "the instance's name", name);
  if (name.length > 255) throw refuseRequest("aws", "the instance's name has more than 255 characters");
  checkText("aws", "image", image);
  checkText("aws", "type", type);
  if (region !== undefined) checkText("aws", "region", region);
  if (zone !== undefined) checkText("aws", "zone", zone);
  if (rootDisk?.sizeGiB !== undefined) checkCount("aws", "rootDisk.sizeGiB", rootDisk.sizeGiB, { least: 1, most: 65_536 });
  if (rootDisk?.encrypted === false && rootDisk.kmsKey !== undefined)
    throw refuseRequest("aws", "rootDisk.kmsKey requires encryption; remove `encrypted: false`");
  if (securityGroups !== undefined && securityGroups.length > 16)
    throw refuseRequest("aws", "an instance can have at most 16 security groups");
  const counts = ["MinCount", "MaxCount"].filter((field) => Object.hasOwn(native, field));
  if (counts.length > 0) throw refuseRequest("aws", `native.${counts[0]} is not allowed; a call creates one instance`);
}

/** EC2 returns the instance of an earlier request with the same token, even if that instance has since been terminated. */
function checkAlive(instance: Instance, { token = "" }: CreateOptions): Instance {
  const { InstanceId = "", State } = instance;
  if (State?.Name !== "terminated" && State?.Name !== "shutting-down") return instance;
  throw createCloudFault(`the token ${token} belongs to the instance ${InstanceId}, which is ${State.Name}; use a new token`, {
    cloud: "aws",
    category: "conflict",
  });
}

async function findByToken(
  context: AwsContext,
  token: string,
  region: string,
  signal: AbortSignal | undefined,
): Promise<Instance | undefined> {
  return context.call({ doing: "look for the instance of an earlier call", region, signal }, async (clients) => {
    const { paginateDescribeInstances } = await import("@aws-sdk/client-ec2");
    const Filters = [{ Name: `tag:${tokenTag}`, Values: [token] }];
    for await (const page of paginateDescribeInstances({ client: await clients.ec2() }, { Filters })) {
      const [found] = (page.Reservations ?? []).flatMap(({ Instances = [] }) => Instances);
      if (found !== undefined) return found;
    }
    return undefined;
  });
}

function renderInstance(request: InstanceRequest, image: InstanceImage): Partial<RunInstancesCommandInput> {
  const { type, rootDisk: { sizeGiB = image.sizeGiB, encrypted = true, kmsKey } = {}, metadataTokens = "required" } = request;
  const disk = {
    VolumeType: "gp3" as const,
    DeleteOnTermination: true,
    Encrypted: encrypted,
    ...(sizeGiB === undefined ? {} : { VolumeSize: sizeGiB }),
    ...(kmsKey === undefined ? {} : { KmsKeyId: kmsKey }),
  };
  return {
    ImageId: image.id,
    InstanceType: type as NonNullable<RunInstancesCommandInput["InstanceType"]>,
    BlockDeviceMappings: [{ DeviceName: image.rootDevice, Ebs: disk }],
    MetadataOptions: {
      HttpEndpoint: "enabled",
      HttpTokens: metadataTokens,
      ...(metadataTokens === "required" ? { HttpPutResponseHopLimit: 1 } : {}),
    },
  };
}

function renderTags(tags: Readonly<Record<string, string>>): NonNullable<RunInstancesCommandInput["TagSpecifications"]> {
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  return (["instance", "volume", "network-interface"] as const).map((ResourceType) => ({ ResourceType, Tags }));
}

/**
 * Chooses the subnet, the security groups and the zone. If the request names a network but no subnet, chooses the network's subnet with the
 * most free addresses in the zone.
 */
async function choosePlace(
  context: AwsContext,
  { name, network, subnet, zone, securityGroups = [], publicAddress = false }: InstanceRequest,
  region: string,
  signal: AbortSignal | undefined,
): Promise<Partial<RunInstancesCommandInput>> {
  const chosen =
    subnet === undefined && network === undefined
      ? undefined
      : await findSubnet(context, { network, subnet, zone, region }, signal);
  if (chosen !== undefined && zone !== undefined && chosen.zone !== zone)
    throw refuseRequest("aws", `the subnet ${chosen.id} is in ${chosen.zone}, but the instance ${name} is requested in ${zone}`);
  const Groups = await findGroups(context, securityGroups, { network: network ?? chosen?.network, region }, signal);
  return {
    NetworkInterfaces: [
      {
        DeviceIndex: 0,
        AssociatePublicIpAddress: publicAddress,
        DeleteOnTermination: true,
        ...(chosen === undefined ? {} : { SubnetId: chosen.id }),
        ...(Groups.length === 0 ? {} : { Groups }),
      },
    ],
    ...(zone === undefined || chosen !== undefined ? {} : { Placement: { AvailabilityZone: zone } }),
  };
}

interface SubnetQuery {
  readonly network: string | undefined;
  readonly subnet: string | undefined;
  readonly zone: string | undefined;
  readonly region: string;
}

async function findSubnet(
  context: AwsContext,
  { network, subnet, zone, region }: SubnetQuery,
  signal: AbortSignal | undefined,
): Promise<{ readonly id: string; readonly zone: string; readonly network: string }> {
  const what = subnet === undefined ? `the subnets of ${network ?? ""}` : `the subnet ${subnet}`;
  const subnets = await context.call({ doing: `read ${what}`, region, signal }, async (clients) => {
    const { DescribeSubnetsCommand } = await import("@aws-sdk/client-ec2");
    const zones = zone === undefined ? [] : [{ Name: "availability-zone", Values: [zone] }];
    const input =
      subnet === undefined ? { Filters: [{ Name: "vpc-id", Values: [network ?? ""] }, ...zones] } : { SubnetIds: [subnet] };
    return (await (await clients.ec2()).send(new DescribeSubnetsCommand(input))).Subnets ?? [];
  });
  const [best] = subnets.toSorted((a, b) => (b.AvailableIpAddressCount ?? 0) - (a.AvailableIpAddressCount ?? 0));
  if (best === undefined)
    throw refuseRequest("aws", `the network ${network ?? ""} has no subnet${zone === undefined ? "" : ` in ${zone}`}`);
  if (network !== undefined && best.VpcId !== network)
    throw refuseRequest("aws", `the subnet ${best.SubnetId} belongs to ${best.VpcId}, not to ${network}`);
  return { id: best.SubnetId ?? "", zone: best.AvailabilityZone ?? "", network: best.VpcId ?? "" };
}

/** Returns the IDs of security groups. Names are looked up in the network, or in the default network if none is given. */
async function findGroups(
  context: AwsContext,
  groups: readonly string[],
  { network, region }: { readonly network: string | undefined; readonly region: string },
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const names = groups.filter((group) => !/^sg-[\da-f]+$/.test(group));
  if (names.length === 0) return [...groups];
  const found = await context.call({ doing: `read the security groups ${names.join(", ")}`, region, signal }, async (clients) => {
    const { DescribeSecurityGroupsCommand, DescribeVpcsCommand } = await import("@aws-sdk/client-ec2");
    const client = await clients.ec2();
    const isDefault = [{ Name: "is-default", Values: ["true"] }];
    const vpc = network ?? (await client.send(new DescribeVpcsCommand({ Filters: isDefault }))).Vpcs?.[0]?.VpcId;
    const Filters = [{ Name: "group-name", Values: names }, ...(vpc === undefined ? [] : [{ Name: "vpc-id", Values: [vpc] }])];
    return (await client.send(new DescribeSecurityGroupsCommand({ Filters }))).SecurityGroups ?? [];
  });
  return groups.map((group) => {
    if (!names.includes(group)) return group;
    const id = found.find(({ GroupName }) => GroupName === group)?.GroupId;
    if (id === undefined)
      throw refuseRequest("aws", `there is no security group ${group} in ${network ?? "the default network"}`);
    return id;
  });
}
