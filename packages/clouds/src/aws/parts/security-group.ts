import type { IpPermission, SecurityGroup } from "@aws-sdk/client-ec2";
import { textOf, type JsonObject } from "@cloudwright/platform/json";
import { ownerTag } from "../../account-view.ts";
import { createCloudFault, isCloudFault, orUndefined } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { AwsContext } from "../library/context.ts";
import { changeEc2Tags, readTags } from "./ec2-tags.ts";
import { checkOwner, checkTaken, compareTags, findOwned, listOwnTags, renderOwnerTags, type PartScope } from "./part-support.ts";
import { listPeers, orderGroupRules, readRules, renderPermissions, rulesOf, type GroupRule } from "./security-group-rules.ts";

/** How long a new group may be missing from responses, and how long rules wait for another entity's group. */
const appearMs = 2 * 60_000;
/** Network interfaces of terminated instances keep their groups for a while. */
const releaseMs = 5 * 60_000;

type Direction = "ingress" | "egress";
const directions = ["ingress", "egress"] as const;

/**
 * EC2 security groups with all of their rules. Attributes: `name`, `description`, `vpc_id`, `ingress` and `egress` (lists of blocks in the
 * order of `orderBlocks`, each with one source or destination), `tags`. `security_groups` in a rule contains the uids of the entities
 * that own the groups, because such a group may be created later. Groups without an owner are named by their ids.
 */
export function createSecurityGroupPart(context: AwsContext, { entityUid, region }: PartScope): CloudPart {
  const ec2 = createGroupCalls(context, region);
  const read = async (id: string, signal: AbortSignal): Promise<PartAttributes | undefined> => {
    const group = await orUndefined(ec2.get(id, signal));
    return group === undefined ? undefined : toAttributes(group, await readBoth(group, signal));
  };
  const readBoth = async (group: SecurityGroup, signal: AbortSignal): Promise<Record<Direction, GroupRule[]>> => {
    const { GroupId, IpPermissions: ingress = [], IpPermissionsEgress: egress = [] } = group;
    const pairs = [...ingress, ...egress].flatMap(({ UserIdGroupPairs = [] }) => UserIdGroupPairs);
    const peers = [...new Set(pairs.map(({ GroupId: peer = "" }) => peer))].filter((peer) => peer !== GroupId);
    const owners = await ec2.findOwners(peers, signal);
    const ownerOf = (id: string): string | undefined => owners.get(id);
    return { ingress: readRules(group, ingress, ownerOf), egress: readRules(group, egress, ownerOf) };
  };
  /** Adds missing rules before it removes others, so that connections that stay allowed are never blocked. */
  const setRules = async (id: string, attributes: PartAttributes, signal: AbortSignal): Promise<void> => {
    const group = await ec2.get(id, signal);
    const live = await readBoth(group, signal);
    const changes = directions.map((direction) => {
      const desired = attributes[direction] === undefined ? undefined : rulesOf(attributes[direction]);
      const wanted = new Set((desired ?? []).map((rule) => JSON.stringify(rule)));
      const present = new Set(live[direction].map((rule) => JSON.stringify(rule.attributes)));
      return {
        direction,
        missing: (desired ?? []).filter((rule) => !present.has(JSON.stringify(rule))),
        extra: desired === undefined ? [] : live[direction].filter((rule) => !wanted.has(JSON.stringify(rule.attributes))),
      };
    });
    const groups = await waitForPeers(
      listPeers(changes.flatMap(({ missing }) => missing)),
      textOf(group.VpcId),
      textOf(group.GroupName),
      signal,
    );
    for (const { direction, missing } of changes)
      await ec2.changeRules(
        id,
        { verb: "add", direction },
        renderPermissions(missing, id, (uid) => groups.get(uid) ?? ""),
        signal,
      );
    for (const { direction, extra } of changes)
      await ec2.changeRules(
        id,
        { verb: "remove", direction },
        extra.map(({ permission }) => permission),
        signal,
      );
  };
  /** Waits until the groups of these entities exist, because groups that refer to each other are created at the same time. */
  const waitForPeers = (uids: readonly string[], vpcId: string, name: string, signal: AbortSignal) =>
    waitFor(context.clock, {
      cloud: "aws",
      timeoutMs: appearMs,
      signal,
      describe: () => `a rule of ${name} names a security group that does not exist yet, so try again`,
      read: () => ec2.findGroupsOf(uids, vpcId, signal),
      isDone: (found) => uids.every((uid) => found.has(uid)),
    });
  return {
    name: "aws_security_group",
    immutable: ["name", "description", "vpc_id"],
    async create(attributes, owner, signal) {
      const id = await ec2.create(attributes, owner, signal);
      await waitFor(context.clock, {
        cloud: "aws",
        timeoutMs: appearMs,
        notFoundMs: appearMs,
        signal,
        describe: () => `the security group ${id} does not appear`,
        read: () => ec2.get(id, signal),
        isDone: () => true,
      });
      await setRules(id, attributes, signal);
      return { id, attributes: (await read(id, signal)) ?? attributes };
    },
    read,
    async update(id, attributes, signal) {
      await setRules(id, attributes, signal);
      if (attributes["tags"] !== undefined) {
        const change = compareTags(readTags(await ec2.get(id, signal)), attributes["tags"]);
        await changeEc2Tags(context, { id, region }, change, signal);
      }
      return (await read(id, signal)) ?? attributes;
    },
    async delete(id, signal) {
      const group = await orUndefined(ec2.get(id, signal));
      if (group === undefined) return;
      checkOwner(`the security group ${id}`, readTags(group), entityUid);
      let failure: unknown;
      await waitFor(context.clock, {
        cloud: "aws",
        timeoutMs: releaseMs,
        signal,
        describe: () => `EC2 still refuses to delete the security group ${id}: ${(failure as Error).message}`,
        async read() {
          try {
            await ec2.removeReferences(id, signal);
            await orUndefined(ec2.remove(id, signal));
            return true;
          } catch (error) {
            if (!isCloudFault(error, "conflict") || error.extra.nativeCode !== "DependencyViolation") throw error;
            failure = error;
            return false;
          }
        },
        isDone: (isDeleted) => isDeleted,
      });
    },
    async listOwned(uid, signal) {
      const found = await ec2.list([{ Name: `tag:${ownerTag}`, Values: [uid] }], signal);
      return found.flatMap((group) => findOwned(group.GroupId ?? "", readTags(group), uid) ?? []);
    },
    async findOwner(id, signal) {
      const found = await orUndefined(ec2.get(id, signal));
      return found === undefined ? undefined : readTags(found)[ownerTag];
    },
  };
}

function toAttributes(group: SecurityGroup, rules: Record<Direction, GroupRule[]>): PartAttributes {
  const attributesOf = (direction: Direction): JsonObject[] =>
    orderGroupRules(rules[direction].map(({ attributes }) => attributes));
  return {
    id: group.GroupId ?? "",
    name: group.GroupName ?? "",
    description: group.Description ?? "",
    vpc_id: group.VpcId ?? "",
    ingress: attributesOf("ingress"),
    egress: attributesOf("egress"),
    tags: listOwnTags(readTags(group)),
    ready: true,
    failed: false,
  };
}

function createGroupCalls(context: AwsContext, region: string) {
  const call = <Answer>(doing: string, signal: AbortSignal, send: Parameters<typeof context.call<Answer>>[1]): Promise<Answer> =>
    context.call({ doing, region, signal }, send);
  const list = (Filters: { Name: string; Values: string[] }[], signal: AbortSignal): Promise<SecurityGroup[]> =>
    call("list the security groups", signal, async (clients) => {
      const { paginateDescribeSecurityGroups } = await import("@aws-sdk/client-ec2");
      const found: SecurityGroup[] = [];
      for await (const page of paginateDescribeSecurityGroups({ client: await clients.ec2() }, { Filters }))
        found.push(...(page.SecurityGroups ?? []));
      return found;
    });
  const get = async (id: string, signal: AbortSignal): Promise<SecurityGroup> => {
    const [found] = await list([{ Name: "group-id", Values: [id] }], signal);
    if (found !== undefined) return found;
    throw createCloudFault(`there is no security group ${id} in ${region}`, { cloud: "aws", category: "not_found" });
  };
  const send = (GroupId: string, change: RuleChange, IpPermissions: IpPermission[], signal: AbortSignal): Promise<void> =>
    call(`${change.verb} rules of the security group ${GroupId}`, signal, async (clients) => {
      const sdk = await import("@aws-sdk/client-ec2");
      const client = await clients.ec2();
      const input = { GroupId, IpPermissions };
      const isIngress = change.direction === "ingress";
      if (change.verb === "add")
        await (isIngress
          ? client.send(new sdk.AuthorizeSecurityGroupIngressCommand(input))
          : client.send(new sdk.AuthorizeSecurityGroupEgressCommand(input)));
      else
        await (isIngress
          ? client.send(new sdk.RevokeSecurityGroupIngressCommand(input))
          : client.send(new sdk.RevokeSecurityGroupEgressCommand(input)));
    });
  /** Changes rules. Rules that another attempt has already added or removed are skipped. */
  const changeRules = async (id: string, change: RuleChange, permissions: IpPermission[], signal: AbortSignal) => {
    if (permissions.length === 0) return;
    try {
      await send(id, change, permissions, signal);
    } catch (error) {
      if (!isDone(error)) throw error;
      // EC2 changes all rules of a request or none.
      for (const permission of permissions)
        await send(id, change, [permission], signal).catch((each: unknown) => {
          if (!isDone(each)) throw each;
        });
    }
  };
  return {
    get,
    list,
    changeRules,
    async create(attributes: PartAttributes, owner: PartOwner, signal: AbortSignal): Promise<string> {
      const [GroupName = "", Description = "", VpcId = ""] = ["name", "description", "vpc_id"].map((name) =>
        textOf(attributes[name]),
      );
      const Tags = Object.entries(renderOwnerTags(attributes, owner)).map(([Key, Value]) => ({ Key, Value }));
      try {
        return await call(`create the security group ${GroupName}`, signal, async (clients) => {
          const { CreateSecurityGroupCommand } = await import("@aws-sdk/client-ec2");
          const TagSpecifications = [{ ResourceType: "security-group" as const, Tags }];
          const input = { GroupName, Description, VpcId, TagSpecifications };
          return (await (await clients.ec2()).send(new CreateSecurityGroupCommand(input))).GroupId ?? "";
        });
      } catch (error) {
        if (!isCloudFault(error, "conflict") || error.extra.nativeCode !== "InvalidGroup.Duplicate") throw error;
        const Filters = [
          { Name: "group-name", Values: [GroupName] },
          { Name: "vpc-id", Values: [VpcId] },
        ];
        const [existing] = await list(Filters, signal);
        if (existing === undefined) throw error;
        checkTaken(`the security group ${GroupName}`, readTags(existing), owner);
        return existing.GroupId ?? "";
      }
    },
    /** Returns the entities that own groups, keyed by the id of the group. */
    async findOwners(ids: readonly string[], signal: AbortSignal): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map();
      const found = await list([{ Name: "group-id", Values: [...ids] }], signal);
      return new Map(found.flatMap((group) => toPairs(group, readTags(group)[ownerTag], "group")));
    },
    /** Returns the groups that belong to entities, keyed by the uid of the entity. */
    async findGroupsOf(uids: readonly string[], vpcId: string, signal: AbortSignal): Promise<Map<string, string>> {
      if (uids.length === 0) return new Map();
      const Filters = [
        { Name: `tag:${ownerTag}`, Values: [...uids] },
        { Name: "vpc-id", Values: [vpcId] },
      ];
      const found = await list(Filters, signal);
      return new Map(found.flatMap((group) => toPairs(group, readTags(group)[ownerTag], "owner")));
    },
    /** Removes the rules of other entities' groups that name a group. EC2 does not delete a group that rules of other groups name. */
    async removeReferences(id: string, signal: AbortSignal): Promise<void> {
      for (const direction of directions) {
        const Name = direction === "ingress" ? "ip-permission.group-id" : "egress.ip-permission.group-id";
        for (const group of await list([{ Name, Values: [id] }], signal)) {
          // The platform changes only groups that it created.
          if (group.GroupId === undefined || group.GroupId === id || readTags(group)[ownerTag] === undefined) continue;
          const permissions = direction === "ingress" ? group.IpPermissions : group.IpPermissionsEgress;
          const rules = readRules(group, permissions ?? [], () => undefined).map(({ permission }) => permission);
          const naming = rules.filter(({ UserIdGroupPairs = [] }) => UserIdGroupPairs.some(({ GroupId }) => GroupId === id));
          await orUndefined(changeRules(group.GroupId, { verb: "remove", direction }, naming, signal));
        }
      }
    },
    remove: (GroupId: string, signal: AbortSignal): Promise<void> =>
      call(`delete the security group ${GroupId}`, signal, async (clients) => {
        const { DeleteSecurityGroupCommand } = await import("@aws-sdk/client-ec2");
        await (await clients.ec2()).send(new DeleteSecurityGroupCommand({ GroupId }));
      }),
  };
}

interface RuleChange {
  readonly verb: "add" | "remove";
  readonly direction: Direction;
}

function isDone(error: unknown): boolean {
  const done = ["InvalidPermission.Duplicate", "InvalidPermission.NotFound"];
  return isCloudFault(error) && done.includes(error.extra.nativeCode);
}

function toPairs({ GroupId = "" }: SecurityGroup, owner: string | undefined, key: "group" | "owner"): [string, string][] {
  if (owner === undefined) return [];
  return [key === "group" ? [GroupId, owner] : [owner, GroupId]];
}
