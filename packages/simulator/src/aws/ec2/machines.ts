import { awsVolumeTypes } from "@cloudwright/contract/clouds/aws/storages";
import { isDeepStrictEqual } from "node:util";
import { getQuota } from "../../cloud/quotas.ts";
import { findRegion } from "../../cloud/regions.ts";
import type { HookContext } from "../../provider/definition.ts";
import { arnOf, hash } from "../place.ts";
import { blockOf, mapOf, numberOf, textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import type { Refusal } from "../refusal.ts";
import { makeId, type AwsChange, type AwsResource } from "../resource.ts";
import { findInstanceType } from "./instance-types.ts";
import { notFound, ofGroups } from "./not-found.ts";
import { privateAddress } from "./vpc.ts";

/** Returns EC2's error for an unknown instance type. */
function refuseInstanceType(name: string): readonly Refusal[] {
  if (name === "" || findInstanceType(name) !== undefined) return [];
  return [{ code: "InvalidInstanceType", message: `The following supplied instance types do not exist: [${name}]` }];
}

const templateMetadata = new Set([
  "tags",
  "tags_all",
  "latest_version",
  "default_version",
  "update_default_version",
  "arn",
  "id",
  "name",
  "name_prefix",
  "region",
]);

/** Returns whether a launch template stores an attribute per version. */
function isContent(name: string): boolean {
  return !templateMetadata.has(name);
}

const launchTemplate: AwsResource = {
  service: "EC2",
  noun: "Launch Template",
  calls: { create: "CreateLaunchTemplate", update: "CreateLaunchTemplateVersion", delete: "DeleteLaunchTemplate" },
  id: "lt",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `launch-template/${id}`),
  forceNew: ["name", "name_prefix"],
  recompute: { latest_version: "*" },
  names: [ofGroups("vpc_security_group_ids")],
  check: async ({ operation, planned }, context) => {
    const name = textOf(planned["name"]);
    const twin = (await context.list("aws_launch_template")).some(({ attributes }) => attributes["name"] === name);
    const taken = {
      code: "InvalidLaunchTemplateName.AlreadyExistsException",
      message: `Launch template name already in use.`,
    };
    return [
      ...(operation === "create" && name !== "" && twin ? [taken] : []),
      ...(operation === "delete" ? [] : refuseInstanceType(textOf(planned["instance_type"]))),
    ];
  },
  compute: ({ id, prior, planned, operation }) => {
    // The provider plans a new version for every change, but creates none if only tags or the default version change.
    const isNew =
      operation === "create" ||
      Object.keys(planned).some((name) => isContent(name) && !isDeepStrictEqual(prior[name], planned[name]));
    const latest = numberOf(prior["latest_version"]) + (isNew ? 1 : 0);
    return {
      name: `${textOf(planned["name_prefix"]) || "terraform-"}${hash(id).slice(0, 26)}`,
      latest_version: latest,
      default_version:
        operation === "create" || planned["update_default_version"] === true ? latest : numberOf(prior["default_version"]),
    };
  },
};

/** Checks a volume's type, size and IOPS against the limits of EBS. */
function checkLimits(planned: ValueMap): readonly Refusal[] {
  const type = textOf(planned["type"]) || "gp2";
  const [size, iops] = [numberOf(planned["size"]), numberOf(planned["iops"])];
  const limits = Object.hasOwn(awsVolumeTypes, type) ? awsVolumeTypes[type] : undefined;
  const refuse = (message: string, field: string): readonly Refusal[] => [
    { code: "InvalidParameterValue", message, path: [field] },
  ];
  if (limits === undefined) return refuse(`Value (${type}) for parameter volumeType is invalid.`, "type");
  const [least, most] = limits.sizeGib;
  // A volume from a snapshot has the snapshot's size if the configuration sets none.
  if (size > 0 && size < least)
    return refuse(`Volume of ${size}GiB is too small for volume type ${type}; minimum is ${least}GiB.`, "size");
  if (size > most) return refuse(`Volume of ${size}GiB is too large for volume type ${type}; maximum is ${most}GiB.`, "size");
  const mostIops = limits.iops?.[1] ?? Number.POSITIVE_INFINITY;
  return iops > mostIops ? refuse(`Volume iops of ${iops} is too high; maximum is ${mostIops}.`, "iops") : [];
}

const volume: AwsResource = {
  service: "EC2",
  noun: "EBS Volume",
  calls: { create: "CreateVolume", update: "ModifyVolume", delete: "DeleteVolume" },
  id: "vol",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `volume/${id}`),
  forceNew: ["availability_zone", "encrypted", "kms_key_id", "multi_attach_enabled", "outpost_arn", "snapshot_id"],
  takes: { create: 10, update: 20, delete: 10 },
  held: (id, holder) => ({
    code: "VolumeInUse",
    message: `Volume ${id} is currently attached to ${textOf(holder.attributes["instance_id"])}`,
  }),
  check: async ({ operation, planned, prior, place }, context) => {
    if (operation === "delete") return [];
    const zone = textOf(planned["availability_zone"]);
    if (!(findRegion("aws", place.region)?.zones ?? []).includes(zone)) {
      return [{ code: "InvalidZone.NotFound", message: `The zone '${zone}' does not exist.`, path: ["availability_zone"] }];
    }
    if (operation === "update" && numberOf(planned["size"]) < numberOf(prior["size"])) {
      return [{ code: "InvalidParameterValue", message: "New size cannot be smaller than existing size", path: ["size"] }];
    }
    const [wrong] = checkLimits(planned);
    if (wrong !== undefined) return [wrong];
    const iops = numberOf(planned["iops"]);
    // If the type changes and the configuration sets no IOPS, the provider sends the previous value, which EC2 checks too.
    if (textOf(planned["type"]) === "gp3" && iops > 0 && iops < 3000) {
      return [{ code: "InvalidParameterValue", message: `Volume iops of ${iops} is too low; minimum is 3000.`, path: ["iops"] }];
    }
    const used = (await context.list("aws_ebs_volume")).reduce((sum, { attributes }) => sum + numberOf(attributes["size"]), 0);
    const limit = getQuota("volume-tib-per-region", context.conditions) * 1024;
    if (operation === "update" || used + numberOf(planned["size"]) <= limit) return [];
    return [{ code: "VolumeLimitExceeded", message: "You have exceeded your maximum gp3 storage limit in this region." }];
  },
  compute: ({ planned }, context) => {
    const type = textOf(planned["type"]) || "gp2";
    const size = numberOf(planned["size"]);
    const iops = type === "gp3" ? 3000 : type === "gp2" ? Math.min(16_000, Math.max(100, size * 3)) : 0;
    return {
      type: "gp2",
      iops,
      throughput: type === "gp3" ? 125 : 0,
      encrypted: false,
      create_time: new Date(context.nowMs).toISOString(),
    };
  },
  // EC2 resolves the alias of a KMS key once, when it creates the volume, and then reports the key itself.
  read: async ({ attributes }, context) => {
    const written = textOf(attributes["kms_key_id"]);
    const [, prefix, name] = /^(.*:)(alias\/.+)$/.exec(written) ?? [];
    if (prefix === undefined || name === undefined) return attributes;
    const alias = await context.find({ type: "aws_kms_alias", id: name });
    const id = textOf(alias?.attributes["target_key_id"]).split("/").at(-1) || hash(written).slice(0, 32);
    return { ...attributes, kms_key_id: `${prefix}key/${id}` };
  },
  sideEffects: ({ operation, id, prior }, { nowMs }) => {
    if (operation !== "delete" || prior["final_snapshot"] !== true) return {};
    const snapshotId = makeId("snap", nowMs);
    const { region, size, tags } = prior;
    const attributes = {
      id: snapshotId,
      region: textOf(region),
      volume_id: id,
      volume_size: numberOf(size),
      tags_all: mapOf(tags),
    };
    return { put: [{ type: "aws_ebs_snapshot", id: snapshotId, attributes }] };
  },
};

const volumeAttachment: AwsResource = {
  service: "EC2",
  noun: "EBS Volume Attachment",
  calls: { create: "AttachVolume", delete: "DetachVolume" },
  id: (planned) =>
    `vai-${Number.parseInt(hash(["device_name", "instance_id", "volume_id"].map((name) => textOf(planned[name])).join("-")).slice(0, 8), 16)}`,
  forceNew: ["device_name", "instance_id", "volume_id"],
  names: [
    { path: "volume_id", to: ["aws_ebs_volume"], missing: notFound.volume, tie: "holds" },
    { path: "instance_id", to: ["aws_instance"], missing: notFound.instance, tie: "follows" },
  ],
  takes: { create: 10, delete: 10 },
  check: ({ operation, planned }, context) => (operation === "create" ? refuseAttachment(planned, context) : []),
};

/** Returns EC2's errors for a volume that cannot be attached to an instance. */
async function refuseAttachment(planned: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const [volumeId, instanceId, device] = ["volume_id", "instance_id", "device_name"].map((name) => textOf(planned[name]));
  const others = await context.list("aws_volume_attachment");
  if (others.some(({ attributes }) => attributes["volume_id"] === volumeId)) {
    return [{ code: "VolumeInUse", message: `${volumeId} is already attached to an instance` }];
  }
  if (others.some(({ attributes }) => attributes["instance_id"] === instanceId && attributes["device_name"] === device)) {
    const message = `Invalid value '${device}' for unixDevice. Attachment point ${device} is already in use`;
    return [{ code: "InvalidParameterValue", message }];
  }
  const zoneOf = async (type: string, id = ""): Promise<string> =>
    textOf((await context.find({ type, id }))?.attributes["availability_zone"]);
  const zones = [await zoneOf("aws_ebs_volume", volumeId), await zoneOf("aws_instance", instanceId)];
  if (zones.includes("") || zones[0] === zones[1]) return [];
  const message = `The volume '${volumeId}' is not in the same availability zone as instance '${instanceId}'`;
  return [{ code: "InvalidVolume.ZoneMismatch", message }];
}

const networkInterface: AwsResource = {
  service: "EC2",
  noun: "Network Interface",
  calls: { create: "CreateNetworkInterface", update: "ModifyNetworkInterfaceAttribute", delete: "DeleteNetworkInterface" },
  id: "eni",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `network-interface/${id}`),
  forceNew: ["subnet_id"],
  defaults: { source_dest_check: true },
  names: [{ path: "subnet_id", to: ["aws_subnet"], missing: notFound.subnet, tie: "holds" }, ofGroups("security_groups")],
  limits: [
    {
      quota: "network-interfaces-per-region",
      within: "region",
      refusal: () => ({
        code: "NetworkInterfaceLimitExceeded",
        message: "The maximum number of network interfaces has been reached.",
      }),
    },
  ],
  compute: async ({ id, planned, place }, context) => {
    const subnet = (await context.find({ type: "aws_subnet", id: textOf(planned["subnet_id"]) }))?.attributes;
    const ip = privateAddress(subnet, id);
    return {
      private_ip: ip,
      private_ips: [ip],
      private_ip_list: [ip],
      private_dns_name: `ip-${ip.replaceAll(".", "-")}.${place.region}.compute.internal`,
      mac_address: (hash(id).slice(0, 10).match(/../g) ?? []).reduce((mac, pair) => `${mac}:${pair}`, "02"),
      interface_type: "interface",
      outpost_arn: "",
    };
  },
};

/** Returns EC2's errors for a zone without capacity and for an exceeded vCPU quota. */
async function refuseCapacity({ planned, place }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const subnet = (await context.find({ type: "aws_subnet", id: textOf(planned["subnet_id"]) }))?.attributes;
  const zone = textOf(subnet?.["availability_zone"]) || textOf(planned["availability_zone"]);
  const type = textOf(planned["instance_type"]);
  if (context.conditions.fullZones?.includes(zone) === true) {
    const message = `We currently do not have sufficient ${type} capacity in the Availability Zone you requested (${zone}).`;
    return [{ code: "InsufficientInstanceCapacity", message, status: 500 }];
  }
  const others = (await context.list("aws_instance")).filter(({ attributes }) => attributes["region"] === place.region);
  const count = (name: string): number => findInstanceType(name)?.vcpus ?? 0;
  const used = others.reduce((sum, { attributes }) => sum + count(textOf(attributes["instance_type"])), 0);
  const limit = getQuota("vcpus-per-region", context.conditions);
  if (used + count(type) <= limit) return [];
  const message = `You have requested more vCPU capacity than your current vCPU limit of ${limit} allows for the instance bucket that the specified instance type belongs to.`;
  return [{ code: "VcpuLimitExceeded", message }];
}

const instance: AwsResource = {
  service: "EC2",
  noun: "Instance",
  calls: { create: "RunInstances", update: "ModifyInstanceAttribute", delete: "TerminateInstances" },
  id: "i",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `instance/${id}`),
  forceNew: ["ami", "subnet_id", "availability_zone", "key_name"],
  names: [
    { path: "subnet_id", to: ["aws_subnet"], missing: notFound.subnet, tie: "holds" },
    ofGroups("vpc_security_group_ids"),
    { path: "launch_template.id", to: ["aws_launch_template"], missing: notFound.template, tie: "none" },
  ],
  takes: { create: 20, update: 30, delete: 40 },
  check: async (change, context) => {
    const { operation, planned } = change;
    if (operation === "delete") return [];
    const message = `Invalid value '${textOf(planned["instance_type"])}' for InstanceType.`;
    const strange = refuseInstanceType(textOf(planned["instance_type"])).map((refusal): Refusal => ({
      ...refusal,
      code: "InvalidParameterValue",
      message,
      path: ["instance_type"],
    }));
    return operation === "create" ? [...strange, ...(await refuseCapacity(change, context))] : strange;
  },
  compute: async ({ id, planned, place }, context) => {
    const subnet = (await context.find({ type: "aws_subnet", id: textOf(planned["subnet_id"]) }))?.attributes;
    const ip = privateAddress(subnet, id);
    const isPublic = subnet?.["map_public_ip_on_launch"] === true || planned["associate_public_ip_address"] === true;
    return {
      instance_state: "running",
      availability_zone: textOf(subnet?.["availability_zone"]) || (findRegion("aws", place.region)?.zones[0] ?? ""),
      private_ip: ip,
      private_dns: `ip-${ip.replaceAll(".", "-")}.${place.region}.compute.internal`,
      public_ip: isPublic ? `203.0.113.${Number.parseInt(hash(id).slice(0, 4), 16) % 256}` : "",
      public_dns: "",
      primary_network_interface_id: `eni-${hash(id).slice(0, 17)}`,
    };
  },
};

const loadBalancer: AwsResource = {
  service: "ELBv2",
  noun: "Load Balancer",
  id: (planned, place, { nowMs }) => {
    const kind = { network: "net", gateway: "gwy" }[textOf(planned["load_balancer_type"])] ?? "app";
    const name = textOf(planned["name"]) || makeId("tf-lb", nowMs);
    return arnOf(place, "elasticloadbalancing", `loadbalancer/${kind}/${name}/${hash(makeId("lb", nowMs)).slice(0, 16)}`);
  },
  arn: (id) => id,
  forceNew: ["name", "name_prefix", "internal", "load_balancer_type"],
  defaults: { load_balancer_type: "application", enable_deletion_protection: false, idle_timeout: 60 },
  names: [
    {
      path: "subnets",
      to: ["aws_subnet"],
      missing: (id) => ({ code: "SubnetNotFoundException", message: `The subnet ID '${id}' does not exist` }),
      tie: "holds",
    },
    { path: "subnet_mapping.subnet_id", to: ["aws_subnet"], tie: "holds" },
    { path: "subnet_mapping.allocation_id", to: ["aws_eip"], tie: "holds" },
    ofGroups("security_groups"),
  ],
  limits: [
    {
      quota: "load-balancers-per-region",
      within: "region",
      refusal: () => ({
        code: "TooManyLoadBalancersException",
        message: "The maximum number of load balancers has been reached.",
      }),
    },
  ],
  takes: { create: 150, delete: 30 },
  check: ({ operation, prior }) =>
    operation === "delete" && prior["enable_deletion_protection"] === true
      ? [
          {
            code: "OperationNotPermittedException",
            message: "Load balancer cannot be deleted because deletion protection is enabled",
          },
        ]
      : [],
  compute: async ({ id, planned, place }, context) => {
    const first = Array.isArray(planned["subnets"])
      ? textOf(planned["subnets"][0])
      : textOf(blockOf(planned, "subnet_mapping")["subnet_id"]);
    const subnet = await context.find({ type: "aws_subnet", id: first });
    const name = id.split("/").at(-2) ?? "";
    return {
      name,
      arn_suffix: id.split("loadbalancer/")[1] ?? "",
      dns_name: `${name}-${hash(id).slice(0, 10)}.elb.${place.region}.${place.suffix}`,
      internal: false,
      ip_address_type: "ipv4",
      vpc_id: textOf(subnet?.attributes["vpc_id"]),
      zone_id: `Z${hash(place.region).slice(0, 13).toUpperCase()}`,
    };
  },
};

/** The instance, volume, network interface and load balancer resource types. */
export const machines = {
  aws_launch_template: launchTemplate,
  aws_ebs_volume: volume,
  aws_volume_attachment: volumeAttachment,
  aws_network_interface: networkInterface,
  aws_instance: instance,
  aws_lb: loadBalancer,
} as const;
