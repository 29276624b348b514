import { textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { findRecord } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { getRole, iamOperation, noSuchEntity, pageOf, refuse, renderTags, requireText, tagsIn, textIn } from "./iam-request.ts";
import { listOfRole, renderRole } from "./roles.ts";

const type = "aws_iam_instance_profile";

/** Operations on instance profiles. */
export const instanceProfileOperations: readonly ApiOperation[] = [
  iamOperation("CreateInstanceProfile", { type, operation: "create" }, async (call) => {
    const config = {
      name: requireText(call, "InstanceProfileName"),
      ...(textIn(call, "Path") && { path: textIn(call, "Path") }),
      tags: tagsIn(call),
    };
    const { record } = await call.operations.create(type, config, { isInstant: true });
    return { InstanceProfile: await renderProfile(call, record) };
  }),
  iamOperation("GetInstanceProfile", { type, operation: "read" }, async (call) => ({
    InstanceProfile: await renderProfile(call, await getProfile(call)),
  })),
  iamOperation("ListInstanceProfilesForRole", { type, operation: "read" }, async (call) => {
    const { items, rest } = pageOf(call, await listOfRole(call, type, await getRole(call)), ({ id }) => id);
    return { ...rest, InstanceProfiles: await Promise.all(items.map((record) => renderProfile(call, record))) };
  }),
  iamOperation("DeleteInstanceProfile", { type, operation: "delete" }, async (call) => {
    const record = await getProfile(call);
    if (textOf(record.attributes["role"]) !== "") {
      refuse({
        code: "DeleteConflict",
        message: "Cannot delete entity, must remove roles from instance profile first.",
        status: 409,
      });
    }
    await call.operations.delete(record, { isInstant: true });
    return undefined;
  }),
  iamOperation("AddRoleToInstanceProfile", { type, operation: "update" }, async (call) => {
    const record = await getProfile(call);
    if (textOf(record.attributes["role"]) !== "") {
      refuse({ code: "LimitExceeded", message: "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1", status: 409 });
    }
    await call.operations.update(record, { role: (await getRole(call)).id }, { isInstant: true });
    return undefined;
  }),
  iamOperation("RemoveRoleFromInstanceProfile", { type, operation: "update" }, async (call) => {
    const record = await getProfile(call);
    const name = requireText(call, "RoleName");
    if (record.attributes["role"] !== name) refuse(noSuchEntity(`The role with name ${name} cannot be found.`));
    await call.operations.update(record, { role: null }, { isInstant: true });
    return undefined;
  }),
];

async function getProfile(call: ApiCall): Promise<CloudRecord> {
  const name = requireText(call, "InstanceProfileName");
  const found = await findRecord(call, type, name, { isEventual: true });
  return found ?? refuse(noSuchEntity(`Instance Profile ${name} cannot be found.`));
}

async function renderProfile(call: ApiCall, record: CloudRecord): Promise<Record<string, unknown>> {
  const { id, attributes } = record;
  const role = await findRecord(call, "aws_iam_role", textOf(attributes["role"]));
  const tags = renderTags(record);
  return {
    Path: textOf(attributes["path"]) || "/",
    InstanceProfileName: id,
    InstanceProfileId: textOf(attributes["unique_id"]),
    Arn: textOf(attributes["arn"]),
    CreateDate: textOf(attributes["create_date"]),
    Roles: role === undefined ? [] : [renderRole(role)],
    ...(tags.length > 0 && { Tags: tags }),
  };
}
