import { arnOf, hash } from "../place.ts";
import { numberOf, textOf } from "../../values/read-value.ts";
import type { AwsResource } from "../resource.ts";
import { inVpc, notFound } from "./not-found.ts";
import { companionsOf } from "./vpc.ts";

const networkAcl: AwsResource = {
  service: "EC2",
  noun: "Network ACL",
  calls: { create: "CreateNetworkAcl", update: "ReplaceNetworkAclEntry", delete: "DeleteNetworkAcl" },
  id: "acl",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `network-acl/${id}`),
  forceNew: ["vpc_id"],
  names: [inVpc, { path: "subnet_ids", to: ["aws_subnet"], missing: notFound.subnet, tie: "none" }],
  limits: [
    {
      quota: "network-acls-per-vpc",
      within: "vpc_id",
      refusal: () => ({ code: "NetworkAclLimitExceeded", message: "The maximum number of network ACLs has been reached." }),
    },
  ],
};

const networkAclRule: AwsResource = {
  service: "EC2",
  noun: "Network ACL Rule",
  calls: { create: "CreateNetworkAclEntry", delete: "DeleteNetworkAclEntry" },
  id: (planned) =>
    `nacl-${hash([planned["network_acl_id"], planned["rule_number"], planned["egress"]].map(String).join("/")).slice(0, 10)}`,
  forceNew: [
    "network_acl_id",
    "rule_number",
    "egress",
    "protocol",
    "rule_action",
    "cidr_block",
    "ipv6_cidr_block",
    "from_port",
    "to_port",
    "icmp_type",
    "icmp_code",
  ],
  defaults: { egress: false },
  names: [{ path: "network_acl_id", to: ["aws_network_acl"], tie: "follows" }],
  check: async ({ operation, planned, id }, context) => {
    if (operation !== "create") return [];
    const aclId = textOf(planned["network_acl_id"]);
    const isCompanion = (await context.list("aws_vpc")).some((vpc) => companionsOf(vpc.id).acl === aclId);
    if (!isCompanion && (await context.find({ type: "aws_network_acl", id: aclId })) === undefined) return [notFound.acl(aclId)];
    if ((await context.find({ type: "aws_network_acl_rule", id })) === undefined) return [];
    const message = `The network acl entry identified by ${numberOf(planned["rule_number"])} already exists.`;
    return [{ code: "NetworkAclEntryAlreadyExists", message }];
  },
};

const defaultNetworkAcl: AwsResource = {
  service: "EC2",
  noun: "Default Network ACL",
  calls: { create: "DescribeNetworkAcls", update: "ReplaceNetworkAclEntry" },
  id: (planned) => textOf(planned["default_network_acl_id"]),
  arn: (id, _attributes, place) => arnOf(place, "ec2", `network-acl/${id}`),
  forceNew: ["default_network_acl_id"],
  names: [{ path: "vpc_id", to: ["aws_vpc"], tie: "follows" }],
  check: async ({ operation, id }, context) => {
    if (operation !== "create") return [];
    const isThere = (await context.list("aws_vpc")).some((vpc) => companionsOf(vpc.id).acl === id);
    return isThere ? [] : [notFound.acl(id)];
  },
  compute: async ({ id }, context) => {
    const vpc = (await context.list("aws_vpc")).find((each) => companionsOf(each.id).acl === id);
    return { vpc_id: vpc?.id ?? "" };
  },
};

/** The network ACL resource types. */
export const networkAcls = {
  aws_network_acl: networkAcl,
  aws_network_acl_rule: networkAclRule,
  aws_default_network_acl: defaultNetworkAcl,
} as const;
