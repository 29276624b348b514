import { getQuota } from "../../cloud/quotas.ts";
import type { HookContext } from "../../provider/definition.ts";
import type { ValueMap } from "../../values/value.ts";
import { arnOf, hash } from "../place.ts";
import { textOf } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import type { AwsChange, AwsResource } from "../resource.ts";
import { inVpc, notFound } from "./not-found.ts";
import { companionsOf } from "./vpc.ts";

const securityGroup: AwsResource = {
  service: "EC2",
  noun: "Security Group",
  calls: { create: "CreateSecurityGroup", update: "AuthorizeSecurityGroupIngress", delete: "DeleteSecurityGroup" },
  id: "sg",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `security-group/${id}`),
  forceNew: ["name", "name_prefix", "description", "vpc_id"],
  defaults: { description: "Managed by Terraform", revoke_rules_on_delete: false },
  names: [inVpc, { path: "ingress.security_groups", to: ["aws_security_group"], tie: "holds" }],
  limits: [
    {
      quota: "security-groups-per-region",
      within: "region",
      refusal: () => ({ code: "SecurityGroupLimitExceeded", message: "The maximum number of security groups has been reached." }),
    },
  ],
  held: (id) => ({ code: "DependencyViolation", message: `resource ${id} has a dependent object` }),
  takes: { create: 2, delete: 1 },
  validate: ({ name }) =>
    typeof name === "string" && name.startsWith("sg-")
      ? [{ summary: "invalid value for name (cannot begin with sg-)", path: ["name"] }]
      : [],
  check: async ({ operation, planned }, context) => {
    const name = textOf(planned["name"]);
    const vpcId = textOf(planned["vpc_id"]);
    if (operation !== "create" || name === "") return [];
    const twin = (await context.list("aws_security_group")).some(
      ({ attributes }) => attributes["name"] === name && attributes["vpc_id"] === vpcId,
    );
    return twin
      ? [{ code: "InvalidGroup.Duplicate", message: `The security group '${name}' already exists for VPC '${vpcId}'` }]
      : [];
  },
  compute: ({ id, planned }) => ({ name: nameOf(planned, id) }),
};

const defaultGroup: AwsResource = {
  service: "EC2",
  noun: "Default Security Group",
  calls: { create: "DescribeSecurityGroups", update: "AuthorizeSecurityGroupIngress" },
  id: (planned) => companionsOf(textOf(planned["vpc_id"])).group,
  arn: (id, _attributes, place) => arnOf(place, "ec2", `security-group/${id}`),
  forceNew: ["vpc_id"],
  defaults: { revoke_rules_on_delete: false },
  names: [{ ...inVpc, tie: "follows" }],
  compute: () => ({ name: "default", name_prefix: "", description: "default VPC security group" }),
};

const ruleParts = ["security_group_id", "type", "protocol", "from_port", "to_port", "cidr_blocks", "ipv6_cidr_blocks"];

const groupRule: AwsResource = {
  service: "EC2",
  noun: "Security Group Rule",
  calls: { create: "AuthorizeSecurityGroupIngress", delete: "RevokeSecurityGroupIngress" },
  id: (planned) =>
    `sgrule-${Number.parseInt(hash(JSON.stringify([...ruleParts, "self", "source_security_group_id", "prefix_list_ids"].map((part) => known(planned[part])))).slice(0, 8), 16)}`,
  forceNew: [...ruleParts, "prefix_list_ids", "self", "source_security_group_id"],
  defaults: { self: false },
  names: [
    { path: "security_group_id", to: ["aws_security_group"], tie: "follows" },
    { path: "source_security_group_id", to: ["aws_security_group"], tie: "holds" },
  ],
  check: async (change, context) => (change.operation === "create" ? checkRule(change, "aws_security_group_rule", context) : []),
  compute: ({ id }) => ({ security_group_rule_id: `sgr-${hash(id).slice(0, 17)}` }),
};

function createOneRule(direction: "Ingress" | "Egress"): AwsResource {
  const type = `aws_vpc_security_group_${direction.toLowerCase()}_rule`;
  return {
    service: "EC2",
    noun: `VPC Security Group ${direction} Rule`,
    calls: {
      create: `AuthorizeSecurityGroup${direction}`,
      update: "ModifySecurityGroupRules",
      delete: `RevokeSecurityGroup${direction}`,
    },
    id: "sgr",
    arn: (id, _attributes, place) => arnOf(place, "ec2", `security-group-rule/${id}`),
    forceNew: ["security_group_id"],
    names: [
      { path: "security_group_id", to: ["aws_security_group"], tie: "follows" },
      { path: "referenced_security_group_id", to: ["aws_security_group"], tie: "holds" },
    ],
    check: async (change, context) => (change.operation === "create" ? checkRule(change, type, context) : []),
    compute: ({ id }) => ({ security_group_rule_id: id }),
  };
}

async function checkRule({ planned }: AwsChange, type: string, context: HookContext): Promise<readonly Refusal[]> {
  const groupId = textOf(planned["security_group_id"]);
  if (!(await isGroup(groupId, context))) return [notFound.group(groupId)];
  const rules = (await context.list(type)).filter(({ attributes }) => attributes["security_group_id"] === groupId);
  if (rules.some(({ attributes }) => describeRule(attributes) === describeRule(planned))) {
    return [{ code: "InvalidPermission.Duplicate", message: "the specified rule already exists" }];
  }
  if (rules.length < getQuota("rules-per-security-group", context.conditions)) return [];
  return [
    { code: "RulesPerSecurityGroupLimitExceeded", message: "The maximum number of rules per security group has been reached." },
  ];
}

/** Returns whether a security group exists. Default groups of VPCs and clusters count as existing. */
async function isGroup(id: string, context: HookContext): Promise<boolean> {
  if ((await context.find({ type: "aws_security_group", id })) !== undefined) return true;
  if ((await context.list("aws_vpc")).some((vpc) => companionsOf(vpc.id).group === id)) return true;
  const clusters = await context.list("aws_eks_cluster");
  return clusters.some(({ attributes }) => JSON.stringify(attributes["vpc_config"]).includes(`"${id}"`));
}

function describeRule(attributes: ValueMap): string {
  const left = new Set(["id", "arn", "security_group_rule_id", "tags", "tags_all", "description", "region", "timeouts"]);
  const names = Object.keys(attributes).filter((name) => !left.has(name));
  return JSON.stringify(names.toSorted().map((name) => [name, known(attributes[name])]));
}

function known(value: unknown): unknown {
  return typeof value === "symbol" || value === undefined || value === "" ? null : value;
}

function nameOf(planned: ValueMap, id: string): string {
  const prefix = textOf(planned["name_prefix"]) || "terraform-";
  return textOf(planned["name"]) || `${prefix}${hash(id).slice(0, 26)}`;
}

/** The security group resource types. */
export const securityGroups = {
  aws_security_group: securityGroup,
  aws_default_security_group: defaultGroup,
  aws_security_group_rule: groupRule,
  aws_vpc_security_group_ingress_rule: createOneRule("Ingress"),
  aws_vpc_security_group_egress_rule: createOneRule("Egress"),
} as const;
