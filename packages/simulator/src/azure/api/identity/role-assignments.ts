import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiAnswer, ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { findRole, roleIdOf } from "../../identity/role-assignments.ts";
import { findById, parameterOf, subscriptionPath, takeLinkedPage } from "../arm-resources.ts";
import { refuse } from "../errors.ts";

const type = "azurerm_role_assignment";
const one = "/{scope}/providers/Microsoft.Authorization/roleAssignments/{roleAssignmentName}";
const all = "/subscriptions/{subscriptionId}/providers/Microsoft.Authorization/roleAssignments";

/** Operations on role assignments. */
export const roleAssignmentOperations: readonly ApiOperation[] = [
  {
    name: "RoleAssignments_ListForSubscription",
    match: { method: "GET", path: all },
    touches: { type, operation: "read" },
    async run(call) {
      const prefix = `${subscriptionPath(call)}/`.toLowerCase();
      const own = (await listRecords(call, type)).filter(({ id }) => id.toLowerCase().startsWith(prefix));
      const path = `${subscriptionPath(call)}/providers/Microsoft.Authorization/roleAssignments`;
      const { items, link } = takeLinkedPage(call, path, own, ({ id }) => id);
      return { content: { value: items.map((record) => describe(call, record)), ...link } };
    },
  },
  {
    name: "RoleAssignments_Get",
    match: { method: "GET", path: one },
    touches: { type, operation: "read" },
    async run(call) {
      const found = await findAssignment(call);
      return { content: describe(call, found ?? refuseMissing(call)) };
    },
  },
  { name: "RoleAssignments_Create", match: { method: "PUT", path: one }, touches: { type, operation: "create" }, run: put },
  {
    name: "RoleAssignments_Delete",
    match: { method: "DELETE", path: one },
    touches: { type, operation: "delete" },
    async run(call) {
      const found = await findAssignment(call);
      if (found === undefined) return { status: 204, content: undefined };
      const content = describe(call, found);
      await call.operations.delete(found, { name: "RoleAssignments_Delete", isInstant: true });
      return { content };
    },
  },
];

function scopeOf(call: ApiCall): string {
  return `/${parameterOf(call, "scope")}`;
}

function findAssignment(call: ApiCall): Promise<CloudRecord | undefined> {
  const name = parameterOf(call, "roleAssignmentName");
  return findById(call, type, `${scopeOf(call)}/providers/Microsoft.Authorization/roleAssignments/${name}`);
}

function refuseMissing(call: ApiCall): never {
  const message = `The role assignment '${parameterOf(call, "roleAssignmentName")}' is not found.`;
  return refuse("RoleAssignmentNotFound", message, 404);
}

async function put(call: ApiCall): Promise<ApiAnswer> {
  const { roleDefinitionId, principalId, principalType, description } = objectOf(objectOf(call.body)["properties"]);
  const role = findRole(textOf(roleDefinitionId));
  if (role === undefined) refuse("RoleDefinitionDoesNotExist", "The specified role definition does not exist.", 400);
  if (!/^[\da-f-]{36}$/i.test(textOf(principalId))) refuse("InvalidPrincipalId", "A valid principal ID must be provided.", 400);
  const existing = await findAssignment(call);
  if (existing !== undefined) {
    const { principal_id: principal, role_definition_name: name } = existing.attributes;
    if (principal === textOf(principalId) && name === role) return { content: describe(call, existing) };
    refuse(
      "RoleAssignmentUpdateNotPermitted",
      "Tenant ID, application ID, principal ID, and scope are not allowed to be updated.",
      400,
    );
  }
  const config = {
    name: parameterOf(call, "roleAssignmentName"),
    scope: scopeOf(call),
    role_definition_name: role,
    principal_id: textOf(principalId),
    principal_type: textOf(principalType) || "ServicePrincipal",
    ...(textOf(description) === "" ? {} : { description: textOf(description) }),
  };
  const { record } = await call.operations.create(type, config, { name: "RoleAssignments_Create", isInstant: true });
  return { status: 201, content: describe(call, record) };
}

function describe(call: ApiCall, { id, attributes }: CloudRecord): Record<string, unknown> {
  const subscription = textOf(attributes["scope"]).split("/").slice(0, 3).join("/") || subscriptionPath(call);
  const roleId = roleIdOf(textOf(attributes["role_definition_name"]));
  return {
    id,
    name: id.split("/").at(-1),
    type: "Microsoft.Authorization/roleAssignments",
    properties: {
      scope: textOf(attributes["scope"]),
      roleDefinitionId: `${subscription}/providers/Microsoft.Authorization/roleDefinitions/${roleId}`,
      principalId: textOf(attributes["principal_id"]),
      principalType: textOf(attributes["principal_type"]),
      description: textOf(attributes["description"]),
    },
  };
}
