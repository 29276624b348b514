import { getCloud } from "@cloudwright/contract/clouds";
import { containsRange, overlaps, parseAnyRange, parseRange, renderAddress, type Ipv4Range } from "@cloudwright/platform";
import type { HookContext } from "../../provider/definition.ts";
import { findRegion } from "../../cloud/regions.ts";
import { findOverlapping } from "../../cloud/reserved-ranges.ts";
import type { ValueMap } from "../../values/value.ts";
import { arnOf, hash } from "../place.ts";
import { textOf } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import type { AwsChange, AwsResource } from "../resource.ts";
import { inVpc } from "./not-found.ts";

/** Returns the ids of the resources that AWS creates along with a VPC. */
export function companionsOf(vpcId: string): { group: string; acl: string; routeTable: string } {
  const id = (prefix: string): string => `${prefix}-${hash(`${prefix} ${vpcId}`).slice(0, 17)}`;
  return { group: id("sg"), acl: id("acl"), routeTable: id("rtb") };
}

const vpc: AwsResource = {
  service: "EC2",
  noun: "VPC",
  calls: { create: "CreateVpc", update: "ModifyVpcAttribute", delete: "DeleteVpc" },
  id: "vpc",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `vpc/${id}`),
  forceNew: ["cidr_block", "instance_tenancy", "ipv4_ipam_pool_id", "ipv4_netmask_length"],
  defaults: {
    enable_dns_support: true,
    enable_dns_hostnames: false,
    enable_network_address_usage_metrics: false,
    instance_tenancy: "default",
    assign_generated_ipv6_cidr_block: false,
  },
  recompute: {
    ipv6_cidr_block: ["assign_generated_ipv6_cidr_block"],
    ipv6_association_id: ["assign_generated_ipv6_cidr_block"],
    ipv6_cidr_block_network_border_group: ["assign_generated_ipv6_cidr_block"],
  },
  limits: [
    {
      quota: "vpcs-per-region",
      within: "region",
      refusal: () => ({ code: "VpcLimitExceeded", message: "The maximum number of VPCs has been reached." }),
    },
  ],
  takes: { create: 12, delete: 2 },
  check: (change, context) =>
    change.operation === "create"
      ? checkRange(textOf(change.planned["cidr_block"]), "InvalidVpc.Range")
      : checkIpv6Removal(change, context),
  compute: ({ id, planned, place }) => {
    const hasIpv6 = planned["assign_generated_ipv6_cidr_block"] === true;
    const { group, acl, routeTable } = companionsOf(id);
    return {
      default_security_group_id: group,
      default_network_acl_id: acl,
      default_route_table_id: routeTable,
      main_route_table_id: routeTable,
      dhcp_options_id: `dopt-${hash(`dopt ${id}`).slice(0, 17)}`,
      ipv6_cidr_block: hasIpv6 ? ipv6RangeOf(id) : "",
      ipv6_association_id: hasIpv6 ? `vpc-cidr-assoc-${hash(`ipv6 ${id}`).slice(0, 17)}` : "",
      ipv6_cidr_block_network_border_group: hasIpv6 ? place.region : "",
    };
  },
};

/**
 * Returns the IPv6 range that AWS assigns to a VPC. It is in the block reserved for documentation, so a mistake cannot reach a real host.
 */
function ipv6RangeOf(vpcId: string): string {
  const digits = hash(`ipv6 ${vpcId}`);
  return `2001:db8:1${digits.slice(0, 3)}:1${digits.slice(3, 4)}00::/56`;
}

/** Returns an error if the IPv6 range of a VPC is removed while a subnet uses it. */
async function checkIpv6Removal({ operation, id, prior, planned }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const range = textOf(prior["ipv6_cidr_block"]);
  if (operation !== "update" || range === "" || planned["assign_generated_ipv6_cidr_block"] === true) return [];
  const isUsed = (await context.list("aws_subnet")).some(
    ({ attributes }) => attributes["vpc_id"] === id && textOf(attributes["ipv6_cidr_block"]) !== "",
  );
  if (!isUsed) return [];
  return [{ code: "InvalidCidrBlock.InUse", message: `The vpc ${id} currently has a subnet within CIDR block ${range}` }];
}

const cidrAssociation: AwsResource = {
  service: "EC2",
  noun: "VPC IPv4 CIDR Block Association",
  calls: { create: "AssociateVpcCidrBlock", delete: "DisassociateVpcCidrBlock" },
  id: "vpc-cidr-assoc",
  forceNew: ["vpc_id", "cidr_block"],
  names: [{ ...inVpc, tie: "follows" }],
  check: async ({ operation, planned }, context) => {
    if (operation !== "create") return [];
    const [text, vpcId] = [textOf(planned["cidr_block"]), textOf(planned["vpc_id"])];
    const range = parseRange(text);
    const blocks = await listBlocks(vpcId, context);
    if (range !== undefined && blocks.some((block) => overlaps(block, range)))
      return [{ code: "InvalidVpc.Range", message: `The CIDR '${text}' conflicts with one of the CIDRs of the VPC.` }];
    return checkRange(text, "InvalidVpc.Range");
  },
};

const subnet: AwsResource = {
  service: "EC2",
  noun: "Subnet",
  calls: { update: "ModifySubnetAttribute" },
  id: "subnet",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `subnet/${id}`),
  forceNew: ["vpc_id", "cidr_block", "availability_zone", "availability_zone_id", "outpost_arn"],
  defaults: {
    map_public_ip_on_launch: false,
    assign_ipv6_address_on_creation: false,
    enable_dns64: false,
    enable_resource_name_dns_a_record_on_launch: false,
    enable_resource_name_dns_aaaa_record_on_launch: false,
    ipv6_native: false,
    private_dns_hostname_type_on_launch: "ip-name",
  },
  recompute: { ipv6_cidr_block_association_id: ["ipv6_cidr_block"] },
  // The provider replaces a subnet that assigns IPv6 addresses if its IPv6 range changes.
  listReplacements: (prior) => (prior["assign_ipv6_address_on_creation"] === true ? ["ipv6_cidr_block"] : []),
  names: [inVpc],
  limits: [
    {
      quota: "subnets-per-vpc",
      within: "vpc_id",
      refusal: () => ({ code: "SubnetLimitExceeded", message: "The maximum number of subnets has been reached." }),
    },
  ],
  takes: { create: 2, delete: 1 },
  check: async (change, context) => [
    ...(change.operation === "create" ? [...checkZone(change), ...(await checkSubnetRange(change, context))] : []),
    ...(change.operation === "delete" ? [] : await checkSubnetIpv6(change, context)),
  ],
  compute: ({ id, planned, place }) => {
    const zones = findRegion("aws", place.region)?.zones ?? [];
    const zone = textOf(planned["availability_zone"]) || (zones[0] ?? "");
    return {
      availability_zone: zone,
      availability_zone_id: zoneIdOf(place.region, zone),
      ipv6_cidr_block: "",
      ipv6_cidr_block_association_id: hasIpv6Range(planned) ? `subnet-cidr-assoc-${hash(`ipv6 ${id}`).slice(0, 17)}` : "",
    };
  },
};

function hasIpv6Range(attributes: ValueMap): boolean {
  return textOf(attributes["ipv6_cidr_block"]) !== "";
}

async function checkSubnetIpv6({ id, planned }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const [text, vpcId] = [textOf(planned["ipv6_cidr_block"]), textOf(planned["vpc_id"])];
  if (text === "") {
    if (planned["assign_ipv6_address_on_creation"] !== true) return [];
    return [{ code: "InvalidParameterValue", message: "The subnet has no IPv6 CIDR block to assign addresses from." }];
  }
  const range = parseAnyRange(text);
  const around = parseAnyRange(textOf((await context.find({ type: "aws_vpc", id: vpcId }))?.attributes["ipv6_cidr_block"]));
  if (range?.prefix !== 64 || around === undefined || !containsRange(around, range))
    return [{ code: "InvalidSubnet.Range", message: `The CIDR '${text}' is invalid.`, path: ["ipv6_cidr_block"] }];
  const isTaken = (await context.list("aws_subnet")).some((other) => {
    const taken = parseAnyRange(textOf(other.attributes["ipv6_cidr_block"]));
    return other.id !== id && other.attributes["vpc_id"] === vpcId && taken !== undefined && overlaps(taken, range);
  });
  if (!isTaken) return [];
  return [
    { code: "InvalidSubnet.Conflict", message: `The CIDR '${text}' conflicts with another subnet`, path: ["ipv6_cidr_block"] },
  ];
}

/** Returns a zone id such as `use1-az1`: the abbreviated region and the number of the zone. */
export function zoneIdOf(region: string, zone: string): string {
  const [area = "", side = "", number = ""] = region.replace("-gov-", "-g").split("-");
  const initials = side.replace(/^(north|south|central)?(east|west)?$/, (_all, first: string, second: string) =>
    [first, second].map((part) => (part ?? "").slice(0, 1)).join(""),
  );
  return `${area}${initials}${number}-az${zone.charCodeAt(zone.length - 1) - "a".charCodeAt(0) + 1}`;
}

/** Returns an address in a subnet. The same value of `who` always gets the same address. */
export function privateAddress(subnetAttributes: ValueMap | undefined, who: string): string {
  const range = parseRange(textOf(subnetAttributes?.["cidr_block"]));
  if (range === undefined) return "";
  // AWS reserves the first four addresses and the last one.
  const room = Math.max(1, 2 ** (32 - range.prefix) - 5);
  return renderAddress(range, 4 + (Number.parseInt(hash(who).slice(0, 8), 16) % room));
}

function checkRange(text: string, code: string): readonly Refusal[] {
  const range = parseRange(text);
  const isReserved = findOverlapping(range, getCloud("aws").network.reservedRanges) !== undefined;
  if (text === "" || (range !== undefined && range.prefix >= 16 && range.prefix <= 28 && !isReserved)) return [];
  return [{ code, message: `The CIDR '${text}' is invalid.`, path: ["cidr_block"] }];
}

function checkZone({ planned, place }: AwsChange): readonly Refusal[] {
  const zone = textOf(planned["availability_zone"]);
  const offered = findRegion("aws", place.region)?.zones ?? [];
  if (zone === "" || offered.includes(zone)) return [];
  return [
    {
      code: "InvalidParameterValue",
      message: `Value (${zone}) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ${offered.join(", ")}.`,
      path: ["availability_zone"],
    },
  ];
}

async function checkSubnetRange({ planned }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const text = textOf(planned["cidr_block"]);
  const wrong = checkRange(text, "InvalidSubnet.Range");
  const range = parseRange(text);
  if (range === undefined || wrong.length > 0) return wrong;
  const vpcId = textOf(planned["vpc_id"]);
  const around = await context.find({ type: "aws_vpc", id: vpcId });
  const blocks = await listBlocks(vpcId, context);
  if (around !== undefined && !blocks.some((block) => containsRange(block, range))) {
    return [{ code: "InvalidSubnet.Range", message: `The CIDR '${text}' is invalid.`, path: ["cidr_block"] }];
  }
  const peers = (await context.list("aws_subnet")).filter(({ attributes }) => attributes["vpc_id"] === vpcId);
  const isTaken = peers.some(({ attributes }) => {
    const other = parseRange(textOf(attributes["cidr_block"]));
    return other !== undefined && overlaps(range, other);
  });
  if (!isTaken) return [];
  return [{ code: "InvalidSubnet.Conflict", message: `The CIDR '${text}' conflicts with another subnet`, path: ["cidr_block"] }];
}

/** Returns the primary and the secondary address ranges of a VPC. */
async function listBlocks(vpcId: string, context: HookContext): Promise<readonly Ipv4Range[]> {
  const vpcRecord = await context.find({ type: "aws_vpc", id: vpcId });
  const more = (await context.list("aws_vpc_ipv4_cidr_block_association")).filter(
    ({ attributes }) => attributes["vpc_id"] === vpcId,
  );
  return [vpcRecord, ...more].flatMap((record) => parseRange(textOf(record?.attributes["cidr_block"])) ?? []);
}

/** The VPC and subnet resource types. */
export const vpcs = {
  aws_vpc: vpc,
  aws_vpc_ipv4_cidr_block_association: cidrAssociation,
  aws_subnet: subnet,
} as const;
