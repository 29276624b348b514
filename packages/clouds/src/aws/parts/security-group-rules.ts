import type { IpPermission, SecurityGroup } from "@aws-sdk/client-ec2";
import { listOf, numberOf, objectOf, textOf, textsOf, type Json, type JsonObject } from "@cloudwright/platform/json";
import { orderBlocks } from "../../library/order-blocks.ts";

/** A rule with a single source or destination, as Terraform represents rules of security groups, and as EC2 does. */
export interface GroupRule {
  readonly attributes: JsonObject;
  readonly permission: IpPermission;
}

/** Returns the rules in the order in which the part reports them. Fields that are not set have empty values. */
export function orderGroupRules(rules: readonly JsonObject[]): JsonObject[] {
  return orderBlocks(
    rules.map((rule) => ({
      protocol: textOf(rule["protocol"]),
      from_port: numberOf(rule["from_port"]),
      to_port: numberOf(rule["to_port"]),
      cidr_blocks: textsOf(rule["cidr_blocks"]),
      ipv6_cidr_blocks: textsOf(rule["ipv6_cidr_blocks"]),
      prefix_list_ids: textsOf(rule["prefix_list_ids"]),
      security_groups: textsOf(rule["security_groups"]),
      self: rule["self"] === true,
    })),
  );
}

/**
 * Returns one rule per source or destination. `ownerOf` returns the uid of the entity that a group belongs to, or undefined if the group
 * does not belong to an entity.
 */
export function readRules(
  { GroupId = "" }: SecurityGroup,
  permissions: readonly IpPermission[],
  ownerOf: (groupId: string) => string | undefined,
): GroupRule[] {
  return permissions.flatMap((permission) => {
    const { IpProtocol = "", FromPort = 0, ToPort = 0 } = permission;
    const base = IpProtocol === "-1" ? { protocol: "-1" } : { protocol: IpProtocol, from_port: FromPort, to_port: ToPort };
    const head: IpPermission = IpProtocol === "-1" ? { IpProtocol } : { IpProtocol, FromPort, ToPort };
    const make = (peer: JsonObject, sent: IpPermission): GroupRule[] =>
      orderGroupRules([{ ...base, ...peer }]).map((attributes) => ({ attributes, permission: { ...head, ...sent } }));
    return [
      ...(permission.IpRanges ?? []).flatMap(({ CidrIp = "" }) => make({ cidr_blocks: [CidrIp] }, { IpRanges: [{ CidrIp }] })),
      ...(permission.Ipv6Ranges ?? []).flatMap(({ CidrIpv6 = "" }) =>
        make({ ipv6_cidr_blocks: [CidrIpv6] }, { Ipv6Ranges: [{ CidrIpv6 }] }),
      ),
      ...(permission.PrefixListIds ?? []).flatMap(({ PrefixListId = "" }) =>
        make({ prefix_list_ids: [PrefixListId] }, { PrefixListIds: [{ PrefixListId }] }),
      ),
      ...(permission.UserIdGroupPairs ?? []).flatMap(({ GroupId: peer = "", UserId }) =>
        make(peer === GroupId ? { self: true } : { security_groups: [ownerOf(peer) ?? peer] }, {
          UserIdGroupPairs: [{ GroupId: peer, ...(UserId === undefined ? {} : { UserId }) }],
        }),
      ),
    ];
  });
}

/** Renders rules for a request. `groupOf` returns the id of the group that belongs to an entity. */
export function renderPermissions(
  rules: readonly JsonObject[],
  groupId: string,
  groupOf: (entityUid: string) => string,
): IpPermission[] {
  return rules.map((rule) => {
    const protocol = textOf(rule["protocol"]);
    const ports = protocol === "-1" ? {} : { FromPort: numberOf(rule["from_port"]), ToPort: numberOf(rule["to_port"]) };
    const groups = [
      ...textsOf(rule["security_groups"]).map((each) => (isGroupId(each) ? each : groupOf(each))),
      ...(rule["self"] === true ? [groupId] : []),
    ];
    return {
      IpProtocol: protocol,
      ...ports,
      ...render("IpRanges", textsOf(rule["cidr_blocks"]), (CidrIp) => ({ CidrIp })),
      ...render("Ipv6Ranges", textsOf(rule["ipv6_cidr_blocks"]), (CidrIpv6) => ({ CidrIpv6 })),
      ...render("PrefixListIds", textsOf(rule["prefix_list_ids"]), (PrefixListId) => ({ PrefixListId })),
      ...render("UserIdGroupPairs", groups, (GroupId) => ({ GroupId })),
    };
  });
}

function render<Entry>(name: string, texts: readonly string[], entryOf: (text: string) => Entry): Record<string, Entry[]> {
  return texts.length === 0 ? {} : { [name]: texts.map(entryOf) };
}

/** Lists the entities whose groups the rules name. */
export function listPeers(rules: readonly Json[]): string[] {
  const named = rules.flatMap((rule) => textsOf(objectOf(rule)["security_groups"]));
  return [...new Set(named.filter((each) => !isGroupId(each)))];
}

/** Returns the rules in an attribute. */
export function rulesOf(value: Json | undefined): JsonObject[] {
  return orderGroupRules(listOf(value).map((rule) => objectOf(rule) as JsonObject));
}

function isGroupId(text: string): boolean {
  return text.startsWith("sg-");
}
