import { textOf } from "@cloudwright/platform/json";
import { ownerTag, partTag } from "../../account-view.ts";
import { isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import type { AzureContext } from "../library/context.ts";
import { libraryOperations } from "../library/operations.ts";
import type { RoleAssignment } from "../models.ts";
import { operations } from "../operations.ts";
import { createResourcePart } from "./resource-part.ts";

/** IDs of the built-in roles that blueprints use. They are the same in every tenant. */
const roles: Readonly<Record<string, string>> = {
  "Network Contributor": "4d97b98b-1d4f-4787-a291-c67834d212e7",
};

type Assignment = RoleAssignment & { readonly properties?: { readonly provisioningState?: string } };

/**
 * Role assignments. The ID is the ARM ID. Attributes: `name` (a UUID that the blueprint chooses), `scope`, `role_definition_name` and
 * `principal_id`. Role assignments have no tags, so the description says which entity owns them.
 */
export function createRoleAssignmentPart(context: AzureContext, entityUid: string): CloudPart {
  const { subscriptionId } = context.options;
  return createResourcePart<Assignment>(context, entityUid, {
    name: "azurerm_role_assignment",
    title: "role assignment",
    immutable: ["name", "scope", "role_definition_name", "principal_id", "failed"],
    get: libraryOperations.getRoleAssignment,
    put: libraryOperations.putRoleAssignment,
    remove: libraryOperations.deleteRoleAssignment,
    isConditional: false,
    // A new identity takes a while to propagate.
    settling: /^PrincipalNotFound$/,
    idOf: (attributes) => renderRoleId(textOf(attributes["scope"]), textOf(attributes["name"])),
    pathOf: readRolePath,
    tagsOf: ({ properties }) => readOwner(properties?.description),
    render: (attributes, owner) => render(subscriptionId, attributes, owner),
    // Everything about a role assignment is immutable.
    renderChange: () => undefined,
    toAttributes: ({ id = "", properties = {} }) => ({
      name: readRolePath(id)["roleAssignmentName"] ?? "",
      scope: readRolePath(id)["resourceId"] ?? "",
      role_definition_name: findRole(properties.roleDefinitionId),
      principal_id: properties.principalId ?? "",
    }),
    readState: () => ({ isReady: true, isFailed: false, nativeStatus: "Succeeded" }),
    async list(signal) {
      const found = await listAssignments(context, signal);
      return found.map(({ id = "", properties }) => ({ id, tags: readOwner(properties?.description) }));
    },
  });
}

function render(subscriptionId: string, attributes: PartAttributes, { entityUid, name }: PartOwner): object {
  const role = textOf(attributes["role_definition_name"]);
  const roleId = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (roleId === undefined) throw refuseRequest("azure", `"${role}" is not a role that parts can assign`);
  return {
    properties: {
      roleDefinitionId: `/subscriptions/${subscriptionId}/providers/Microsoft.Authorization/roleDefinitions/${roleId}`,
      principalId: textOf(attributes["principal_id"]),
      // Without the type, Azure looks up the principal, which fails for a new identity.
      principalType: "ServicePrincipal",
      description: `${ownerTag}=${entityUid} ${partTag}=cluster/${name}`,
    },
  };
}

function findRole(roleDefinitionId = ""): string {
  const id = roleDefinitionId.split("/").at(-1)?.toLowerCase();
  return Object.entries(roles).find(([, each]) => each === id)?.[0] ?? "";
}

/** Reads the owner from a description. The description has the same format as in the Terraform configurations. */
function readOwner(description = ""): Readonly<Record<string, string>> | undefined {
  const { uid, part } = /^cloudwright:entity=(?<uid>\S+) cloudwright:part=(?<part>\S+)$/.exec(description)?.groups ?? {};
  return uid === undefined || part === undefined ? undefined : { [ownerTag]: uid, [partTag]: part };
}

async function listAssignments({ api }: AzureContext, signal: AbortSignal): Promise<readonly RoleAssignment[]> {
  try {
    return await api.list<RoleAssignment>("list the role assignments", operations.listRoleAssignments, { signal });
  } catch (error) {
    // Credentials that are limited to one group cannot list the assignments of the subscription. A repeated creation finds its own
    // assignment by name.
    if (isCloudFault(error, "denied")) return [];
    throw error;
  }
}

function renderRoleId(scope: string, name: string): string {
  return `${scope}/providers/Microsoft.Authorization/roleAssignments/${name}`;
}

function readRolePath(id: string): Readonly<Record<string, string>> {
  const pattern = /^(?<scope>\/subscriptions\/.+)\/providers\/Microsoft\.Authorization\/roleAssignments\/(?<name>[\da-f-]{36})$/i;
  const { scope, name } = pattern.exec(id)?.groups ?? {};
  if (scope === undefined || name === undefined) throw refuseRequest("azure", `"${id}" is not the ID of a role assignment`);
  return { resourceId: scope, roleAssignmentName: name };
}
