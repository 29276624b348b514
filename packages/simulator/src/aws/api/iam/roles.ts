import { listOf, numberOf, objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { accountOf, hash } from "../../place.ts";
import { changeTags } from "../change-tags.ts";
import {
  getRole,
  iamOperation,
  noSuchEntity,
  pageOf,
  refuse,
  renderTags,
  requireDocument,
  requireText,
  tagsIn,
  textIn,
} from "./iam-request.ts";

const type = "aws_iam_role";
const linkedType = "aws_iam_service_linked_role";

const trustQuota = { name: "ACLSizePerRole", characters: 2048 };

/** Operations on roles and users. */
export const roleOperations: readonly ApiOperation[] = [
  iamOperation("CreateRole", { type, operation: "create" }, async (call) => {
    const config = {
      name: requireText(call, "RoleName"),
      assume_role_policy: requireDocument(call, "AssumeRolePolicyDocument", trustQuota),
      ...(textIn(call, "Path") && { path: textIn(call, "Path") }),
      ...(textIn(call, "Description") && { description: textIn(call, "Description") }),
      ...(textIn(call, "MaxSessionDuration") && { max_session_duration: Number(textIn(call, "MaxSessionDuration")) }),
      ...(textIn(call, "PermissionsBoundary") && { permissions_boundary: textIn(call, "PermissionsBoundary") }),
      tags: tagsIn(call),
    };
    const { record } = await call.operations.create(type, config, { isInstant: true });
    return { Role: renderRole(record) };
  }),
  iamOperation("GetRole", { type, operation: "read" }, async (call) => ({ Role: renderRole(await getRole(call)) })),
  iamOperation("ListRoles", { type, operation: "read" }, async (call) => {
    const prefix = textIn(call, "PathPrefix");
    const all = (await listRecords(call, type, { isEventual: true })).filter(({ attributes }) =>
      (textOf(attributes["path"]) || "/").startsWith(prefix),
    );
    const { items, rest } = pageOf(call, all, ({ id }) => id);
    // IAM omits tags from lists.
    return { ...rest, Roles: items.map((record) => ({ ...renderRole(record), Tags: undefined })) };
  }),
  iamOperation("DeleteRole", { type, operation: "delete" }, async (call) => {
    await call.operations.delete(await getRole(call), { isInstant: true });
    return undefined;
  }),
  iamOperation("UpdateAssumeRolePolicy", { type, operation: "update" }, async (call) => {
    const patch = { assume_role_policy: requireDocument(call, "PolicyDocument", trustQuota) };
    await call.operations.update(await getRole(call), patch, { isInstant: true });
    return undefined;
  }),
  iamOperation("TagRole", { type, operation: "update" }, async (call) => {
    await changeTags(call, await getRole(call), { added: tagsIn(call) });
    return undefined;
  }),
  iamOperation("UntagRole", { type, operation: "update" }, async (call) => {
    await changeTags(call, await getRole(call), { removed: listOf(objectOf(call.body)["TagKeys"]).map(textOf) });
    return undefined;
  }),
  iamOperation("ListRoleTags", { type, operation: "read" }, async (call) => {
    const { items, rest } = pageOf(call, renderTags(await getRole(call)), ({ Key }) => Key);
    return { ...rest, Tags: items };
  }),
  iamOperation("CreateServiceLinkedRole", { type: linkedType, operation: "create" }, async (call) => {
    const { record } = await call.operations.create(linkedType, { aws_service_name: requireText(call, "AWSServiceName") });
    return { Role: renderRole(record) };
  }),
  iamOperation("GetUser", { type: "aws_iam_user", operation: "read" }, async ({ caller, ...call }) => {
    const name = textOf(objectOf(call.body)["UserName"]);
    if (name !== "" && name !== "simulated") refuse(noSuchEntity(`The user with name ${name} cannot be found.`));
    const account = accountOf(caller.tenant);
    return {
      User: {
        Path: "/",
        UserName: "simulated",
        UserId: `AIDA${hash(account).slice(0, 17).toUpperCase()}`,
        Arn: `arn:aws:iam::${account}:user/simulated`,
        CreateDate: "2026-01-01T00:00:00.000Z",
      },
    };
  }),
];

/** Renders a role. Policy documents are URL-encoded. */
export function renderRole(record: CloudRecord): Record<string, unknown> {
  const { id, attributes } = record;
  const text = (name: string): string => textOf(attributes[name]);
  const tags = renderTags(record);
  return {
    Path: text("path") || "/",
    RoleName: text("name") || id,
    RoleId: text("unique_id"),
    Arn: text("arn"),
    CreateDate: text("create_date") || "2026-01-01T00:00:00.000Z",
    AssumeRolePolicyDocument: encodeURIComponent(text("assume_role_policy")),
    ...(text("description") && { Description: text("description") }),
    MaxSessionDuration: numberOf(attributes["max_session_duration"]) || 3600,
    ...(tags.length > 0 && { Tags: tags }),
  };
}

/** Returns the records of one type that belong to a role. */
export async function listOfRole(call: ApiCall, recordType: string, role: CloudRecord): Promise<readonly CloudRecord[]> {
  return (await listRecords(call, recordType)).filter(({ attributes }) => attributes["role"] === role.id);
}
