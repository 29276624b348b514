import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { parseRange } from "@cloudwright/platform";
import { notFound } from "../../ec2/not-found.ts";
import { accountOf, hash } from "../../place.ts";
import {
  changeOperation,
  describeOperation,
  flagIn,
  getHere,
  newTags,
  refuse,
  regionOf,
  requireText,
  tagSetOf,
  textIn,
} from "./ec2-request.ts";

const vpc = "aws_vpc";
const subnet = "aws_subnet";

/** Operations on VPCs and subnets. */
export const vpcOperations: readonly ApiOperation[] = [
  changeOperation("CreateVpc", { type: vpc, operation: "create" }, async (call) => {
    const config = {
      cidr_block: requireText(call, "CidrBlock"),
      ...(textIn(call, "InstanceTenancy") && { instance_tenancy: textIn(call, "InstanceTenancy") }),
      tags: newTags(call, "vpc"),
      region: regionOf(call),
    };
    const { record } = await call.operations.create(vpc, config);
    return { vpc: renderVpc(record, call) };
  }),
  describeOperation({
    name: "DescribeVpcs",
    type: vpc,
    ids: "VpcId",
    set: "vpcSet",
    missing: notFound.vpc,
    render: renderVpc,
    facts: ({ id, attributes }, call) => ({
      "vpc-id": [id],
      cidr: [textOf(attributes["cidr_block"])],
      "cidr-block-association.cidr-block": [textOf(attributes["cidr_block"])],
      "is-default": ["false"],
      "owner-id": [accountOf(call.caller.tenant)],
      state: ["available"],
    }),
  }),
  changeOperation("DeleteVpc", { type: vpc, operation: "delete" }, async (call) => {
    const record = await getHere(call, vpc, requireText(call, "VpcId"), notFound.vpc);
    await call.operations.delete(record, { isInstant: true });
    return undefined;
  }),
  changeOperation("ModifyVpcAttribute", { type: vpc, operation: "update" }, async (call) => {
    const record = await getHere(call, vpc, requireText(call, "VpcId"), notFound.vpc);
    const given = Object.entries(vpcFlags).flatMap(([attribute, parameter]) => {
      const flag = flagIn(call, parameter);
      return flag === undefined ? [] : [[attribute, flag] as const];
    });
    if (given.length !== 1) refuse({ code: "InvalidParameterCombination", message: "Modify exactly one attribute per request." });
    await call.operations.update(record, Object.fromEntries(given), { isInstant: true });
    return undefined;
  }),
  {
    name: "DescribeVpcAttribute",
    match: { action: "DescribeVpcAttribute" },
    touches: { type: vpc, operation: "read" },
    async run(call) {
      const record = await getHere(call, vpc, requireText(call, "VpcId"), notFound.vpc);
      const name = requireText(call, "Attribute");
      const attribute = Object.entries(vpcFlags).find(([, parameter]) => lowerFirst(parameter) === name)?.[0] ?? "";
      return { content: { vpcId: record.id, [name]: { value: record.attributes[attribute] === true } } };
    },
  },
  changeOperation("CreateSubnet", { type: subnet, operation: "create" }, async (call) => {
    const config = {
      vpc_id: requireText(call, "VpcId"),
      cidr_block: requireText(call, "CidrBlock"),
      ...(textIn(call, "AvailabilityZone") && { availability_zone: textIn(call, "AvailabilityZone") }),
      tags: newTags(call, "subnet"),
      region: regionOf(call),
    };
    const { record } = await call.operations.create(subnet, config);
    return { subnet: renderSubnet(record, call) };
  }),
  describeOperation({
    name: "DescribeSubnets",
    type: subnet,
    ids: "SubnetId",
    set: "subnetSet",
    missing: notFound.subnet,
    render: renderSubnet,
    facts: ({ id, attributes }) => ({
      "subnet-id": [id],
      "vpc-id": [textOf(attributes["vpc_id"])],
      "availability-zone": [textOf(attributes["availability_zone"])],
      "availability-zone-id": [textOf(attributes["availability_zone_id"])],
      "cidr-block": [textOf(attributes["cidr_block"])],
      "map-public-ip-on-launch": [String(attributes["map_public_ip_on_launch"] === true)],
      "default-for-az": ["false"],
      state: ["available"],
    }),
  }),
  changeOperation("DeleteSubnet", { type: subnet, operation: "delete" }, async (call) => {
    const record = await getHere(call, subnet, requireText(call, "SubnetId"), notFound.subnet);
    await call.operations.delete(record, { isInstant: true });
    return undefined;
  }),
  changeOperation("ModifySubnetAttribute", { type: subnet, operation: "update" }, async (call) => {
    const record = await getHere(call, subnet, requireText(call, "SubnetId"), notFound.subnet);
    const flag = flagIn(call, "MapPublicIpOnLaunch");
    const { Value: given } = objectOf(objectOf(call.body)["AssignIpv6AddressOnCreation"]);
    const patch = {
      ...(flag === undefined ? {} : { map_public_ip_on_launch: flag }),
      ...(given === undefined ? {} : { assign_ipv6_address_on_creation: given === "true" }),
    };
    if (Object.keys(patch).length === 0) refuse({ code: "MissingParameter", message: "No attribute to modify was given." });
    await call.operations.update(record, patch, { isInstant: true });
    return undefined;
  }),
];

/** The flags of a VPC that can be changed, keyed by the attribute that stores them. */
const vpcFlags: Readonly<Record<string, string>> = {
  enable_dns_support: "EnableDnsSupport",
  enable_dns_hostnames: "EnableDnsHostnames",
  enable_network_address_usage_metrics: "EnableNetworkAddressUsageMetrics",
};

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

function stateOf(record: CloudRecord, { operations }: ApiCall): string {
  return operations.findPending(record)?.verb === "create" ? "pending" : "available";
}

function renderVpc(record: CloudRecord, call: ApiCall): Record<string, unknown> {
  const { id, attributes } = record;
  const cidrBlock = textOf(attributes["cidr_block"]);
  return {
    vpcId: id,
    ownerId: accountOf(call.caller.tenant),
    state: stateOf(record, call),
    cidrBlock,
    cidrBlockAssociationSet: [
      { associationId: `vpc-cidr-assoc-${hash(id).slice(0, 17)}`, cidrBlock, cidrBlockState: { state: "associated" } },
    ],
    dhcpOptionsId: textOf(attributes["dhcp_options_id"]),
    instanceTenancy: textOf(attributes["instance_tenancy"]) || "default",
    isDefault: false,
    tagSet: tagSetOf(record),
  };
}

function renderSubnet(record: CloudRecord, call: ApiCall): Record<string, unknown> {
  const { id, attributes } = record;
  const range = parseRange(textOf(attributes["cidr_block"]));
  return {
    subnetId: id,
    subnetArn: textOf(attributes["arn"]),
    state: stateOf(record, call),
    ownerId: accountOf(call.caller.tenant),
    vpcId: textOf(attributes["vpc_id"]),
    cidrBlock: textOf(attributes["cidr_block"]),
    // AWS reserves the first four addresses of a subnet and the last one.
    availableIpAddressCount: range === undefined ? 0 : 2 ** (32 - range.prefix) - 5,
    availabilityZone: textOf(attributes["availability_zone"]),
    availabilityZoneId: textOf(attributes["availability_zone_id"]),
    defaultForAz: false,
    mapPublicIpOnLaunch: attributes["map_public_ip_on_launch"] === true,
    assignIpv6AddressOnCreation: attributes["assign_ipv6_address_on_creation"] === true,
    ipv6CidrBlockAssociationSet: [],
    tagSet: tagSetOf(record),
  };
}
