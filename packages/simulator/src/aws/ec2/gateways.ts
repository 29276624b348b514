import { getQuota } from "../../cloud/quotas.ts";
import type { HookContext } from "../../provider/definition.ts";
import { arnOf, hash } from "../place.ts";
import { textOf } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import type { AwsChange, AwsResource } from "../resource.ts";
import { inVpc, notFound } from "./not-found.ts";
import { blackholeRoutes } from "./routes.ts";
import { privateAddress } from "./vpc.ts";

const internetGateway: AwsResource = {
  service: "EC2",
  noun: "Internet Gateway",
  calls: { update: "AttachInternetGateway" },
  id: "igw",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `internet-gateway/${id}`),
  names: [inVpc],
  limits: [
    {
      quota: "internet-gateways-per-region",
      within: "region",
      refusal: () => ({
        code: "InternetGatewayLimitExceeded",
        message: "The maximum number of internet gateways has been reached.",
      }),
    },
  ],
  takes: { create: 1, delete: 1 },
  sideEffects: async ({ operation, id }, context) => (operation === "delete" ? blackholeRoutes(id, context) : {}),
  check: async (change, context) =>
    change.operation === "delete" ? checkMapped(change, context) : checkAttached(change, context),
};

const egressOnlyGateway: AwsResource = {
  service: "EC2",
  noun: "Egress-only Internet Gateway",
  calls: { create: "CreateEgressOnlyInternetGateway", delete: "DeleteEgressOnlyInternetGateway" },
  id: "eigw",
  forceNew: ["vpc_id"],
  names: [inVpc],
  sideEffects: async ({ operation, id }, context) => (operation === "delete" ? blackholeRoutes(id, context) : {}),
};

const address: AwsResource = {
  service: "EC2",
  noun: "EIP",
  calls: { create: "AllocateAddress", update: "AssociateAddress", delete: "ReleaseAddress" },
  id: "eipalloc",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `elastic-ip/${id}`),
  forceNew: ["domain", "address", "public_ipv4_pool", "network_border_group"],
  defaults: { domain: "vpc" },
  limits: [
    {
      quota: "elastic-ips-per-region",
      within: "region",
      refusal: () => ({ code: "AddressLimitExceeded", message: "The maximum number of addresses has been reached." }),
    },
  ],
  held: (id) => ({ code: "InvalidIPAddress.InUse", message: `Address ${id} is in use.` }),
  takes: { create: 1, delete: 1 },
  compute: ({ id, place }) => {
    const ip = publicAddress(id);
    const suffix = place.region === "us-east-1" ? "compute-1" : `${place.region}.compute`;
    return {
      allocation_id: id,
      public_ip: ip,
      public_dns: `ec2-${ip.replaceAll(".", "-")}.${suffix}.${place.suffix}`,
      public_ipv4_pool: "amazon",
      network_border_group: place.region,
      association_id: "",
      private_ip: "",
      private_dns: "",
      carrier_ip: "",
      customer_owned_ip: "",
      ptr_record: "",
    };
  },
};

const natGateway: AwsResource = {
  service: "EC2",
  noun: "NAT Gateway",
  calls: { create: "CreateNatGateway", delete: "DeleteNatGateway" },
  id: "nat",
  forceNew: ["subnet_id", "allocation_id", "connectivity_type", "private_ip"],
  defaults: { connectivity_type: "public" },
  names: [
    { path: "subnet_id", to: ["aws_subnet"], missing: notFound.subnet, tie: "holds" },
    { path: "allocation_id", to: ["aws_eip"], missing: notFound.allocation, tie: "holds" },
  ],
  takes: { create: 100, delete: 45 },
  sideEffects: async ({ operation, id }, context) => (operation === "delete" ? blackholeRoutes(id, context) : {}),
  check: async (change, context) => (change.operation === "create" ? checkNat(change, context) : []),
  compute: async ({ id, planned }, context) => {
    const subnet = (await context.find({ type: "aws_subnet", id: textOf(planned["subnet_id"]) }))?.attributes;
    const allocation = textOf(planned["allocation_id"]);
    return {
      availability_mode: "zonal",
      network_interface_id: `eni-${hash(id).slice(0, 17)}`,
      association_id: allocation === "" ? "" : `eipassoc-${hash(id).slice(0, 17)}`,
      private_ip: privateAddress(subnet, id),
      public_ip: allocation === "" ? "" : publicAddress(allocation),
      vpc_id: textOf(subnet?.["vpc_id"]),
      auto_provision_zones: "",
      auto_scaling_ips: "",
      regional_nat_gateway_auto_mode: "",
      route_table_id: "",
    };
  },
};

function publicAddress(allocation: string): string {
  // This address block is reserved for documentation, so a mistake cannot reach a real host.
  return `203.0.113.${Number.parseInt(hash(allocation).slice(0, 4), 16) % 256}`;
}

async function checkAttached({ id, planned }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const vpcId = textOf(planned["vpc_id"]);
  if (vpcId === "") return [];
  const other = (await context.list("aws_internet_gateway")).find(
    (record) => record.attributes["vpc_id"] === vpcId && record.id !== id,
  );
  if (other === undefined) return [];
  return [{ code: "Resource.AlreadyAssociated", message: `Network ${vpcId} already has an internet gateway attached` }];
}

async function checkMapped({ prior }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const vpcId = textOf(prior["vpc_id"]);
  const mapped = (await context.list("aws_nat_gateway")).some(
    ({ attributes }) => vpcId !== "" && attributes["vpc_id"] === vpcId && attributes["public_ip"] !== "",
  );
  if (!mapped) return [];
  return [
    {
      code: "DependencyViolation",
      message: `Network ${vpcId} has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.`,
    },
  ];
}

async function checkNat({ planned }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const gateways = await context.list("aws_nat_gateway");
  const allocation = textOf(planned["allocation_id"]);
  if (allocation !== "" && gateways.some(({ attributes }) => attributes["allocation_id"] === allocation)) {
    return [{ code: "Resource.AlreadyAssociated", message: `Elastic IP address [${allocation}] is already associated` }];
  }
  const subnets = await context.list("aws_subnet");
  const zoneOf = (id: string): string => textOf(subnets.find((record) => record.id === id)?.attributes["availability_zone"]);
  const zone = zoneOf(textOf(planned["subnet_id"]));
  const limit = getQuota("nat-gateways-per-zone", context.conditions);
  if (gateways.filter(({ attributes }) => zoneOf(textOf(attributes["subnet_id"])) === zone).length >= limit) {
    return [
      {
        code: "NatGatewayLimitExceeded",
        message: `Performing this operation would exceed the limit of ${limit} NAT gateways in availability zone ${zone}`,
      },
    ];
  }
  const vpcId = subnets.find(({ id }) => id === planned["subnet_id"])?.attributes["vpc_id"];
  const isOpen = (await context.list("aws_internet_gateway")).some(({ attributes }) => attributes["vpc_id"] === vpcId);
  if (planned["connectivity_type"] !== "public" || vpcId === undefined || isOpen) return [];
  return [{ code: "Gateway.NotAttached", message: `Network ${textOf(vpcId)} has no Internet gateway attached` }];
}

/** The gateway and Elastic IP resource types. */
export const gateways = {
  aws_internet_gateway: internetGateway,
  aws_egress_only_internet_gateway: egressOnlyGateway,
  aws_eip: address,
  aws_nat_gateway: natGateway,
} as const;
