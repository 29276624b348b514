import { textOf } from "@cloudwright/platform";
import type { ApiOperation } from "../../../api/api-service.ts";
import { findRecord } from "../../../api/read-records.ts";
import { getRole, iamOperation, noSuchEntity, pageOf, refuse, requireDocument, requireText } from "./iam-request.ts";
import { listOfRole } from "./roles.ts";

const attached = "aws_iam_role_policy_attachment";
const inline = "aws_iam_role_policy";

/** Maximum total size of the inline policies of a role. */
const inlineQuota = { name: "InlinePolicySizePerRole", characters: 10_240 };

/** Operations on the policies of roles. */
export const policyOperations: readonly ApiOperation[] = [
  iamOperation("AttachRolePolicy", { type: attached, operation: "create" }, async (call) => {
    const role = await getRole(call);
    const arn = requireText(call, "PolicyArn");
    const isAttached = (await listOfRole(call, attached, role)).some(({ attributes }) => attributes["policy_arn"] === arn);
    // It is not an error to attach a policy again.
    if (!isAttached) await call.operations.create(attached, { role: role.id, policy_arn: arn });
    return undefined;
  }),
  iamOperation("DetachRolePolicy", { type: attached, operation: "delete" }, async (call) => {
    const role = await getRole(call);
    const arn = requireText(call, "PolicyArn");
    const found = (await listOfRole(call, attached, role)).find(({ attributes }) => attributes["policy_arn"] === arn);
    await call.operations.delete(found ?? refuse(noSuchEntity(`Policy ${arn} was not found.`)), { isInstant: true });
    return undefined;
  }),
  iamOperation("ListAttachedRolePolicies", { type: attached, operation: "read" }, async (call) => {
    const role = await getRole(call);
    const { items, rest } = pageOf(call, await listOfRole(call, attached, role), ({ id }) => id);
    const policies = items.map(({ attributes }) => textOf(attributes["policy_arn"]));
    return { ...rest, AttachedPolicies: policies.map((PolicyArn) => ({ PolicyName: PolicyArn.split("/").at(-1), PolicyArn })) };
  }),
  iamOperation("PutRolePolicy", { type: inline, operation: "create" }, async (call) => {
    const role = await getRole(call);
    const [name, policy] = [requireText(call, "PolicyName"), requireDocument(call, "PolicyDocument", inlineQuota)];
    const others = (await listOfRole(call, inline, role)).filter(({ attributes }) => attributes["name"] !== name);
    const used = others.reduce((sum, { attributes }) => sum + textOf(attributes["policy"]).length, policy.length);
    if (used > inlineQuota.characters) {
      const message = `Maximum policy size of ${inlineQuota.characters} bytes exceeded for role ${role.id}`;
      refuse({ code: "LimitExceeded", message, status: 409 });
    }
    const known = await findRecord(call, inline, `${role.id}:${name}`);
    if (known === undefined) await call.operations.create(inline, { role: role.id, name, policy });
    else await call.operations.update(known, { policy }, { isInstant: true });
    return undefined;
  }),
  iamOperation("GetRolePolicy", { type: inline, operation: "read" }, async (call) => {
    const role = await getRole(call);
    const name = requireText(call, "PolicyName");
    const found = await findRecord(call, inline, `${role.id}:${name}`);
    if (found === undefined) return refuse(noSuchEntity(`The role policy with name ${name} cannot be found.`));
    return { RoleName: role.id, PolicyName: name, PolicyDocument: encodeURIComponent(textOf(found.attributes["policy"])) };
  }),
  iamOperation("ListRolePolicies", { type: inline, operation: "read" }, async (call) => {
    const role = await getRole(call);
    const { items, rest } = pageOf(call, await listOfRole(call, inline, role), ({ id }) => id);
    return { ...rest, PolicyNames: items.map(({ attributes }) => textOf(attributes["name"])) };
  }),
  iamOperation("DeleteRolePolicy", { type: inline, operation: "delete" }, async (call) => {
    const role = await getRole(call);
    const name = requireText(call, "PolicyName");
    const found = await findRecord(call, inline, `${role.id}:${name}`);
    const missing = noSuchEntity(`The role policy with name ${name} cannot be found.`);
    await call.operations.delete(found ?? refuse(missing), { isInstant: true });
    return undefined;
  }),
  iamOperation("GetPolicy", { type: "aws_iam_policy", operation: "read" }, async (call) => {
    const arn = requireText(call, "PolicyArn");
    const own = await findRecord(call, "aws_iam_policy", arn, { isEventual: true });
    // Policies that AWS manages always exist.
    const isManaged = /^arn:[a-z-]+:iam::aws:policy\//.test(arn);
    if (own === undefined && !isManaged) return refuse(noSuchEntity(`Policy ${arn} was not found.`));
    return {
      Policy: {
        PolicyName: arn.split("/").at(-1),
        PolicyId: textOf(own?.attributes["policy_id"]) || "ANPASIMULATED",
        Arn: arn,
        Path: textOf(own?.attributes["path"]) || "/",
        DefaultVersionId: "v1",
        AttachmentCount: 0,
        IsAttachable: true,
      },
    };
  }),
];
