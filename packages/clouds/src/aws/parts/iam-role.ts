import type { Role, Tag } from "@aws-sdk/client-iam";
import { parseJson, textOf, textsOf, type Json } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { ownerTag } from "../../account-view.ts";
import { isCloudFault, orUndefined, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import type { AwsContext } from "../library/context.ts";
import {
  checkOwner,
  checkTaken,
  compareTags,
  findOwned,
  listOwnTags,
  renderOwnerTags,
  sortTexts,
  type PartScope,
} from "./part-support.ts";

/**
 * IAM roles. The ID is the name. Attributes: `name`, `assume_role_policy` (JSON), `description`, `managed_policy_arns`, `tags`. IAM cannot
 * search by tag, so a name must contain the last eight characters of the entity's uid, as in the Terraform configurations.
 */
export function createRolePart(context: AwsContext, { entityUid, region }: PartScope): CloudPart {
  const iam = createRoleCalls(context, region);
  const read = async (id: string, signal: AbortSignal): Promise<PartAttributes | undefined> => {
    const role = await orUndefined(iam.get(id, signal));
    return role === undefined ? undefined : toAttributes(role, await iam.listPolicies(id, signal));
  };
  return {
    name: "aws_iam_role",
    immutable: ["name"],
    async create(attributes, owner, signal) {
      const id = textOf(attributes["name"]);
      if (!id.includes(suffixOf(owner.entityUid)))
        throw refuseRequest(
          "aws",
          `the role's name ${id} must contain ${suffixOf(owner.entityUid)}, so that it can be found again`,
        );
      try {
        await iam.create(attributes, owner, signal);
      } catch (error) {
        if (!isCloudFault(error, "conflict")) throw error;
        checkTaken(`the role ${id}`, toTags((await iam.get(id, signal)).Tags), owner);
      }
      await iam.setPolicies(id, textsOf(attributes["managed_policy_arns"]), signal);
      return { id, attributes: (await read(id, signal)) ?? attributes };
    },
    read,
    async update(id, attributes, signal) {
      const now = await iam.get(id, signal);
      await iam.change(now, attributes, signal);
      if (attributes["managed_policy_arns"] !== undefined)
        await iam.setPolicies(id, textsOf(attributes["managed_policy_arns"]), signal);
      return (await read(id, signal)) ?? attributes;
    },
    async delete(id, signal) {
      const role = await orUndefined(iam.get(id, signal));
      if (role === undefined) return;
      checkOwner(`the role ${id}`, toTags(role.Tags), entityUid);
      await orUndefined(iam.setPolicies(id, [], signal));
      await orUndefined(iam.remove(id, signal));
    },
    async listOwned(uid, signal) {
      const names = (await iam.listNames(signal)).filter((name) => name.includes(suffixOf(uid)));
      const roles = await Promise.all(names.map((name) => orUndefined(iam.get(name, signal))));
      return roles.flatMap((role) => findOwned(role?.RoleName ?? "", toTags(role?.Tags), uid) ?? []);
    },
    async findOwner(id, signal) {
      return toTags((await orUndefined(iam.get(id, signal)))?.Tags)[ownerTag];
    },
  };
}

function suffixOf(entityUid: string): string {
  return entityUid.replaceAll("-", "").slice(-8);
}

function toTags(tags: readonly Tag[] | undefined): Record<string, string> {
  return Object.fromEntries((tags ?? []).map(({ Key = "", Value = "" }) => [Key, Value]));
}

function toAttributes(role: Role, policies: readonly string[]): PartAttributes {
  return {
    name: role.RoleName ?? "",
    // IAM returns the document URL-encoded.
    assume_role_policy: normalise(decodeURIComponent(role.AssumeRolePolicyDocument ?? "")),
    description: role.Description ?? "",
    managed_policy_arns: sortTexts(policies),
    tags: listOwnTags(toTags(role.Tags)),
    ready: true,
    failed: false,
    arn: role.Arn ?? "",
  };
}

/** Returns a policy document without insignificant white space. */
function normalise(document: string): string {
  const parsed = parseJson(document);
  return parsed === undefined ? document : JSON.stringify(parsed);
}

function createRoleCalls(context: AwsContext, region: string) {
  const call = <Answer>(doing: string, signal: AbortSignal, send: Parameters<typeof context.call<Answer>>[1]): Promise<Answer> =>
    context.call({ doing, region, signal }, send);
  const listPolicies = (RoleName: string, signal: AbortSignal): Promise<string[]> =>
    call(`list the policies of the role ${RoleName}`, signal, async (clients) => {
      const { paginateListAttachedRolePolicies } = await import("@aws-sdk/client-iam");
      const found: string[] = [];
      for await (const { AttachedPolicies = [] } of paginateListAttachedRolePolicies(
        { client: await clients.iam() },
        { RoleName },
      ))
        found.push(...AttachedPolicies.map(({ PolicyArn = "" }) => PolicyArn));
      return found;
    });
  return {
    listPolicies,
    get: (RoleName: string, signal: AbortSignal): Promise<Role> =>
      call(`read the role ${RoleName}`, signal, async (clients) => {
        const { GetRoleCommand } = await import("@aws-sdk/client-iam");
        return (await (await clients.iam()).send(new GetRoleCommand({ RoleName }))).Role as Role;
      }),
    create: (attributes: PartAttributes, owner: PartOwner, signal: AbortSignal): Promise<void> => {
      const [RoleName = "", AssumeRolePolicyDocument = "", Description = ""] = ["name", "assume_role_policy", "description"].map(
        (field) => textOf(attributes[field]),
      );
      const Tags = Object.entries(renderOwnerTags(attributes, owner)).map(([Key, Value]) => ({ Key, Value }));
      return call(`create the role ${RoleName}`, signal, async (clients) => {
        const { CreateRoleCommand } = await import("@aws-sdk/client-iam");
        const input = { RoleName, AssumeRolePolicyDocument, Tags, ...(Description === "" ? {} : { Description }) };
        await (await clients.iam()).send(new CreateRoleCommand(input));
      });
    },
    async setPolicies(RoleName: string, desired: readonly string[], signal: AbortSignal): Promise<void> {
      const now = await listPolicies(RoleName, signal);
      await call(`change the policies of the role ${RoleName}`, signal, async (clients) => {
        const { AttachRolePolicyCommand, DetachRolePolicyCommand } = await import("@aws-sdk/client-iam");
        const client = await clients.iam();
        for (const PolicyArn of desired.filter((arn) => !now.includes(arn)))
          await client.send(new AttachRolePolicyCommand({ RoleName, PolicyArn }));
        for (const PolicyArn of now.filter((arn) => !desired.includes(arn)))
          await client.send(new DetachRolePolicyCommand({ RoleName, PolicyArn }));
      });
    },
    async change(now: Role, desired: PartAttributes, signal: AbortSignal): Promise<void> {
      const { RoleName = "" } = now;
      const current = toAttributes(now, []);
      const isChanged = (field: string, value: Json | undefined): boolean =>
        value !== undefined && !isDeepStrictEqual(value, current[field]);
      const trust = textOf(desired["assume_role_policy"]);
      const { set, remove } =
        desired["tags"] === undefined ? { set: {}, remove: [] } : compareTags(toTags(now.Tags), desired["tags"]);
      await call(`change the role ${RoleName}`, signal, async (clients) => {
        const sdk = await import("@aws-sdk/client-iam");
        const client = await clients.iam();
        if (trust !== "" && isChanged("assume_role_policy", normalise(trust)))
          await client.send(new sdk.UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument: trust }));
        if (isChanged("description", desired["description"]))
          await client.send(new sdk.UpdateRoleCommand({ RoleName, Description: textOf(desired["description"]) }));
        if (Object.keys(set).length > 0)
          await client.send(
            new sdk.TagRoleCommand({ RoleName, Tags: Object.entries(set).map(([Key, Value]) => ({ Key, Value })) }),
          );
        if (remove.length > 0) await client.send(new sdk.UntagRoleCommand({ RoleName, TagKeys: remove }));
      });
    },
    remove: (RoleName: string, signal: AbortSignal): Promise<void> =>
      call(`delete the role ${RoleName}`, signal, async (clients) => {
        const { DeleteRoleCommand } = await import("@aws-sdk/client-iam");
        await (await clients.iam()).send(new DeleteRoleCommand({ RoleName }));
      }),
    listNames: (signal: AbortSignal): Promise<string[]> =>
      call("list the roles", signal, async (clients) => {
        const { paginateListRoles } = await import("@aws-sdk/client-iam");
        const names: string[] = [];
        for await (const { Roles = [] } of paginateListRoles({ client: await clients.iam() }, {}))
          names.push(...Roles.map(({ RoleName = "" }) => RoleName));
        return names;
      }),
  };
}
