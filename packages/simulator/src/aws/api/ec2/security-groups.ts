import { listOf, numberOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { getQuota } from "../../../cloud/quotas.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf } from "../../../values/read-value.ts";
import { isList, type ValueMap } from "../../../values/value.ts";
import { notFound } from "../../ec2/not-found.ts";
import { companionsOf } from "../../ec2/vpc.ts";
import { accountOf } from "../../place.ts";
import {
  changeOperation,
  describeOperation,
  getHere,
  listHere,
  newTags,
  objectsIn,
  refuse,
  regionOf,
  requireText,
  tagSetOf,
  textIn,
  textsIn,
} from "./ec2-request.ts";

const type = "aws_security_group";
const ruleTypes = { ingress: "aws_vpc_security_group_ingress_rule", egress: "aws_vpc_security_group_egress_rule" } as const;

type Direction = keyof typeof ruleTypes;

/** Operations on security groups and their rules. */
export const securityGroupOperations: readonly ApiOperation[] = [
  changeOperation("CreateSecurityGroup", { type, operation: "create" }, async (call) => {
    const config = {
      name: requireText(call, "GroupName"),
      description: requireText(call, "GroupDescription"),
      vpc_id: requireText(call, "VpcId"),
      tags: newTags(call, "security-group"),
      region: regionOf(call),
    };
    const { record } = await call.operations.create(type, config);
    // In EC2, a new group allows all outgoing traffic. Terraform's provider removes that rule.
    await call.operations.create(ruleTypes.egress, {
      security_group_id: record.id,
      ip_protocol: "-1",
      cidr_ipv4: "0.0.0.0/0",
      region: regionOf(call),
    });
    return { groupId: record.id, securityGroupArn: textOf(record.attributes["arn"]), tagSet: tagSetOf(record) };
  }),
  describeOperation({
    name: "DescribeSecurityGroups",
    type,
    ids: "GroupId",
    set: "securityGroupInfo",
    missing: notFound.group,
    list: listWithPeers,
    render: renderGroup,
    facts: ({ id, attributes }) => ({
      "group-id": [id],
      "group-name": [textOf(attributes["name"])],
      description: [textOf(attributes["description"])],
      "vpc-id": [textOf(attributes["vpc_id"])],
      "ip-permission.group-id": textsOf(attributes["api_ingress_groups"]),
      "egress.ip-permission.group-id": textsOf(attributes["api_egress_groups"]),
    }),
  }),
  changeOperation("DeleteSecurityGroup", { type, operation: "delete" }, async (call) => {
    const id = requireText(call, "GroupId");
    const record = await getGroup(call, id);
    if (record.type !== type) {
      refuse({ code: "CannotDelete", message: `the specified group: "${id}" name: "default" cannot be deleted by a user` });
    }
    await call.operations.delete(record, { isInstant: true });
    return { return: true, groupId: id };
  }),
  ...(["ingress", "egress"] as const).flatMap((direction) => [authorize(direction), revoke(direction)]),
  describeOperation({
    name: "DescribeSecurityGroupRules",
    type: ruleTypes.ingress,
    ids: "SecurityGroupRuleId",
    set: "securityGroupRuleSet",
    missing: (id) => ({
      code: "InvalidSecurityGroupRuleId.NotFound",
      message: `The security group rule ID '${id}' does not exist`,
    }),
    list: async (call) => [...(await listHere(call, ruleTypes.ingress)), ...(await listHere(call, ruleTypes.egress))],
    render: renderRule,
    facts: ({ id, attributes }) => ({
      "security-group-rule-id": [id],
      "group-id": [textOf(attributes["security_group_id"])],
    }),
  }),
];

function authorize(direction: Direction): ApiOperation {
  const ruleType = ruleTypes[direction];
  return changeOperation(`AuthorizeSecurityGroup${titleOf(direction)}`, { type: ruleType, operation: "create" }, async (call) => {
    const group = await getGroup(call, requireText(call, "GroupId"));
    const made: CloudRecord[] = [];
    for (const rule of listRequested(call, group)) {
      const { record } = await call.operations.create(ruleType, {
        ...rule,
        security_group_id: group.id,
        tags: newTags(call, "security-group-rule"),
        region: regionOf(call),
      });
      made.push(record);
    }
    return { return: true, securityGroupRuleSet: made.map((record) => renderRule(record, call)) };
  });
}

function revoke(direction: Direction): ApiOperation {
  const ruleType = ruleTypes[direction];
  return changeOperation(`RevokeSecurityGroup${titleOf(direction)}`, { type: ruleType, operation: "delete" }, async (call) => {
    const group = await getGroup(call, requireText(call, "GroupId"));
    const rules = (await listHere(call, ruleType)).filter(({ attributes }) => attributes["security_group_id"] === group.id);
    const ids = textsIn(call, "SecurityGroupRuleId");
    const wanted = [
      ...ids.map((id) => rules.find((rule) => rule.id === id)),
      ...listRequested(call, group, ids.length > 0).map((asked) =>
        rules.find(({ attributes }) => ruleFields.every((name) => same(attributes[name], asked[name]))),
      ),
    ];
    for (const rule of wanted) {
      if (rule === undefined) {
        return refuse({
          code: "InvalidPermission.NotFound",
          message: "The specified rule does not exist in this security group.",
        });
      }
      await call.operations.delete(rule, { isInstant: true });
    }
    return undefined;
  });
}

function titleOf(direction: Direction): string {
  return direction === "ingress" ? "Ingress" : "Egress";
}

const ruleFields = ["ip_protocol", "from_port", "to_port", "cidr_ipv4", "cidr_ipv6", "referenced_security_group_id"] as const;

function same(one: unknown, other: unknown): boolean {
  return (one ?? null) === (other ?? null);
}

/** Returns the attributes of the rules in a request, one per source or destination. */
function listRequested(call: ApiCall, group: CloudRecord, isOptional = false): readonly ValueMap[] {
  const given = objectsIn(call, "IpPermissions");
  const short = textIn(call, "IpProtocol") === "" ? [] : [readShort(call)];
  const permissions = given.length > 0 ? given : short;
  if (permissions.length === 0 && !isOptional) {
    refuse({ code: "MissingParameter", message: "Either 'ipPermissions' or 'securityGroupRuleIds' should be provided." });
  }
  return permissions.flatMap((permission) => {
    const protocol = textOf(permission["IpProtocol"]);
    const ports = protocol === "-1" ? {} : { from_port: toPort(permission["FromPort"]), to_port: toPort(permission["ToPort"]) };
    const base = { ip_protocol: protocol, ...ports };
    const textsAt = (list: string, name: string): string[] =>
      listOf(permission[list]).map((each) => textOf(objectOf(each)[name]));
    const peers = [
      ...textsAt("IpRanges", "CidrIp").map((cidr_ipv4) => ({ cidr_ipv4 })),
      ...textsAt("Ipv6Ranges", "CidrIpv6").map((cidr_ipv6) => ({ cidr_ipv6 })),
      ...textsAt("Groups", "GroupId").map((id) => ({ referenced_security_group_id: id || group.id })),
    ];
    const message = "The rule has neither a range of addresses nor a group.";
    return peers.length === 0 ? refuse({ code: "InvalidParameterValue", message }) : peers.map((peer) => ({ ...base, ...peer }));
  });
}

function readShort(call: ApiCall): Readonly<Record<string, unknown>> {
  return {
    IpProtocol: textIn(call, "IpProtocol"),
    FromPort: textIn(call, "FromPort"),
    ToPort: textIn(call, "ToPort"),
    IpRanges: textIn(call, "CidrIp") === "" ? [] : [{ CidrIp: textIn(call, "CidrIp") }],
  };
}

function toPort(value: unknown): number {
  const port = Number(textOf(value) || Number.NaN);
  return Number.isInteger(port) ? port : refuse({ code: "InvalidParameterValue", message: `Invalid port: ${textOf(value)}` });
}

/** Lists all groups, including the default groups of VPCs, for which there are no records. */
export async function listGroups(call: ApiCall): Promise<readonly CloudRecord[]> {
  const groups = await listHere(call, type);
  const defaults = (await listHere(call, "aws_vpc")).map(({ id, attributes }) => ({
    type: "aws_default_security_group",
    id: companionsOf(id).group,
    attributes: {
      name: "default",
      description: "default VPC security group",
      vpc_id: id,
      region: textOf(attributes["region"]),
    },
  }));
  return [...groups, ...defaults];
}

/** Throws EC2's error if a group does not exist, or if there are too many for one network interface. */
export async function requireGroups(call: ApiCall, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const known = new Set((await listGroups(call)).map(({ id }) => id));
  const strange = ids.find((id) => !known.has(id));
  if (strange !== undefined) refuse(notFound.group(strange));
  if (ids.length > getQuota("security-groups-per-interface", call.conditions)) {
    const message = "The maximum number of security groups per interface has been reached.";
    refuse({ code: "SecurityGroupsPerInterfaceLimitExceeded", message });
  }
}

/** Lists all groups together with the groups that their rules name. */
async function listWithPeers(call: ApiCall): Promise<readonly CloudRecord[]> {
  const [ingress, egress] = [await listHere(call, ruleTypes.ingress), await listHere(call, ruleTypes.egress)];
  const peersOf = (rules: readonly CloudRecord[], id: string): string[] =>
    rules.flatMap(({ attributes }) =>
      attributes["security_group_id"] === id ? [textOf(attributes["referenced_security_group_id"])] : [],
    );
  return (await listGroups(call)).map((group) => ({
    ...group,
    attributes: {
      ...group.attributes,
      api_ingress_groups: peersOf(ingress, group.id),
      api_egress_groups: peersOf(egress, group.id),
    },
  }));
}

async function getGroup(call: ApiCall, id: string): Promise<CloudRecord> {
  return (await listGroups(call)).find((record) => record.id === id) ?? getHere(call, type, id, notFound.group);
}

async function renderGroup(record: CloudRecord, call: ApiCall): Promise<Record<string, unknown>> {
  const { id, attributes } = record;
  const permissionsOf = async (direction: Direction): Promise<readonly unknown[]> => {
    const rules = (await listHere(call, ruleTypes[direction])).filter((rule) => rule.attributes["security_group_id"] === id);
    const older = (await listHere(call, "aws_security_group_rule")).filter(
      (rule) => rule.attributes["security_group_id"] === id && rule.attributes["type"] === direction,
    );
    const inline = attributes[direction];
    return [
      ...rules.map((rule) => toPermission(rule.attributes, call)),
      ...[...older.map((rule) => rule.attributes), ...(isList(inline) ? inline.map(mapOf) : [])].map((rule) =>
        toListPermission(rule, id, call),
      ),
    ];
  };
  return {
    ownerId: accountOf(call.caller.tenant),
    groupId: id,
    securityGroupArn: textOf(attributes["arn"]),
    groupName: textOf(attributes["name"]),
    groupDescription: textOf(attributes["description"]),
    vpcId: textOf(attributes["vpc_id"]),
    ipPermissions: await permissionsOf("ingress"),
    ipPermissionsEgress: await permissionsOf("egress"),
    tagSet: tagSetOf(record),
  };
}

function toPermission(rule: ValueMap, call: ApiCall): Record<string, unknown> {
  const group = textOf(rule["referenced_security_group_id"]);
  return {
    ipProtocol: textOf(rule["ip_protocol"]),
    ...portsOf(rule, textOf(rule["ip_protocol"])),
    groups: group === "" ? [] : [{ userId: accountOf(call.caller.tenant), groupId: group }],
    ipRanges: textOf(rule["cidr_ipv4"]) === "" ? [] : [{ cidrIp: textOf(rule["cidr_ipv4"]) }],
    ipv6Ranges: textOf(rule["cidr_ipv6"]) === "" ? [] : [{ cidrIpv6: textOf(rule["cidr_ipv6"]) }],
    prefixListIds: [],
  };
}

// Inline rules and rules of the older resource type can have several sources each.
function toListPermission(rule: ValueMap, groupId: string, call: ApiCall): Record<string, unknown> {
  const groups = [
    ...textsOf(rule["security_groups"]),
    ...(textOf(rule["source_security_group_id"]) === "" ? [] : [textOf(rule["source_security_group_id"])]),
    ...(rule["self"] === true ? [groupId] : []),
  ];
  return {
    ipProtocol: textOf(rule["protocol"]),
    ...portsOf(rule, textOf(rule["protocol"])),
    groups: groups.map((id) => ({ userId: accountOf(call.caller.tenant), groupId: id })),
    ipRanges: textsOf(rule["cidr_blocks"]).map((cidrIp) => ({ cidrIp })),
    ipv6Ranges: textsOf(rule["ipv6_cidr_blocks"]).map((cidrIpv6) => ({ cidrIpv6 })),
    prefixListIds: [],
  };
}

function portsOf(rule: ValueMap, protocol: string): Record<string, number> {
  return protocol === "-1" ? {} : { fromPort: numberOf(rule["from_port"]), toPort: numberOf(rule["to_port"]) };
}

function renderRule(record: CloudRecord, call: ApiCall): Record<string, unknown> {
  const { id, attributes } = record;
  const protocol = textOf(attributes["ip_protocol"]);
  const group = textOf(attributes["referenced_security_group_id"]);
  return {
    securityGroupRuleId: id,
    groupId: textOf(attributes["security_group_id"]),
    groupOwnerId: accountOf(call.caller.tenant),
    isEgress: record.type === ruleTypes.egress,
    ipProtocol: protocol,
    ...(protocol === "-1" ? { fromPort: -1, toPort: -1 } : portsOf(attributes, protocol)),
    ...(textOf(attributes["cidr_ipv4"]) && { cidrIpv4: textOf(attributes["cidr_ipv4"]) }),
    ...(textOf(attributes["cidr_ipv6"]) && { cidrIpv6: textOf(attributes["cidr_ipv6"]) }),
    ...(group && { referencedGroupInfo: { groupId: group, userId: accountOf(call.caller.tenant) } }),
    securityGroupRuleArn: textOf(attributes["arn"]),
    tagSet: tagSetOf(record),
  };
}
