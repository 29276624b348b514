import type { HookContext } from "../../provider/definition.ts";
import { textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { guid, subscriptionOf } from "../place.ts";
import type { Refusal } from "../refusal.ts";
import type { AzureChange, AzureResource } from "../resource.ts";

/** The built-in roles that the simulator supports. */
const roles: readonly string[] = [
  "Owner",
  "Contributor",
  "Reader",
  "AcrPull",
  "Azure Kubernetes Service Cluster Admin Role",
  "Azure Kubernetes Service Cluster User Role",
  "Azure Kubernetes Service RBAC Admin",
  "Azure Kubernetes Service RBAC Cluster Admin",
  "Azure Kubernetes Service RBAC Reader",
  "Azure Kubernetes Service RBAC Writer",
  "Disk Encryption Set Operator for Managed Disks",
  "Key Vault Administrator",
  "Key Vault Contributor",
  "Key Vault Crypto Officer",
  "Key Vault Crypto Service Encryption User",
  "Key Vault Crypto User",
  "Managed Identity Operator",
  "Monitoring Metrics Publisher",
  "Network Contributor",
  "Private DNS Zone Contributor",
  "Storage Account Contributor",
  "Storage Blob Data Contributor",
  "Storage Blob Data Owner",
  "Storage Blob Data Reader",
];

/** IDs of built-in roles that clients of the API send. They are the same in every tenant. The other roles have derived IDs. */
const knownIds: Readonly<Record<string, string>> = {
  "Network Contributor": "4d97b98b-1d4f-4787-a291-c67834d212e7",
};

/** Returns the ID of a built-in role. */
export function roleIdOf(role: string): string {
  return knownIds[role] ?? guid(`role ${role}`);
}

/** Returns the name of a built-in role, or undefined if the simulator does not support the role. */
export function findRole(roleDefinitionId: string): string | undefined {
  const id = roleDefinitionId.split("/").at(-1)?.toLowerCase();
  return roles.find((role) => roleIdOf(role) === id);
}

const assignment: AzureResource = {
  noun: "Role Assignment",
  path: (planned) => `${textOf(planned["scope"])}/providers/Microsoft.Authorization/roleAssignments/${nameOf(planned)}`,
  forceNew: ["scope", "principal_id", "principal_type", "role_definition_name", "role_definition_id"],
  takes: { create: 25, update: 5, delete: 5 },
  check: (change, context) => (change.operation === "create" ? checkAssignment(change, context) : []),
  compute: ({ id, planned }, context) => ({
    name: id.split("/").at(-1) ?? "",
    role_definition_id: `/subscriptions/${subscriptionOf(context)}/providers/Microsoft.Authorization/roleDefinitions/${roleIdOf(textOf(planned["role_definition_name"]))}`,
    role_definition_name: roleOf(planned),
    principal_type: "ServicePrincipal",
    condition_version: "",
    skip_service_principal_aad_check: false,
  }),
};

async function checkAssignment({ planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  const role = textOf(planned["role_definition_name"]);
  if (role !== "" && !roles.includes(role)) {
    const message = `loading Role Definition List: could not find role '${role}'`;
    return [{ code: "RoleDefinitionDoesNotExist", message, path: ["role_definition_name"] }];
  }
  const twin = (await context.list("azurerm_role_assignment")).some(({ attributes }) =>
    ["scope", "principal_id", "role_definition_name"].every((name) => attributes[name] === planned[name]),
  );
  if (twin) return [{ code: "RoleAssignmentExists", message: "The role assignment already exists.", status: 409 }];
  const scope = textOf(planned["scope"]);
  const isKnown = !scope.includes("/providers/") || (await context.list()).some(({ id }) => isWithin(scope, id));
  if (isKnown) return [];
  const message = `The Resource '${scope.split("/providers/").at(-1) ?? scope}' was not found.`;
  return [{ code: "ResourceNotFound", message, status: 404, path: ["scope"] }];
}

/** Returns whether a principal has one of the accepted roles at this scope or at an enclosing one. */
export async function hasRole(
  principal: string,
  accepted: readonly string[],
  scope: string,
  context: HookContext,
): Promise<boolean> {
  return (await context.list("azurerm_role_assignment")).some(
    ({ attributes }) =>
      attributes["principal_id"] === principal &&
      accepted.includes(roleOf(attributes)) &&
      isWithin(scope, textOf(attributes["scope"])),
  );
}

function isWithin(inner: string, outer: string): boolean {
  const [small, large] = [inner.toLowerCase(), outer.toLowerCase()];
  return small === large || small.startsWith(`${large}/`);
}

function roleOf(attributes: ValueMap): string {
  const name = textOf(attributes["role_definition_name"]);
  if (name !== "") return name;
  return findRole(textOf(attributes["role_definition_id"])) ?? "";
}

/** Returns the name of a role assignment. Azure generates a UUID if the user does not choose one. */
function nameOf(planned: ValueMap): string {
  const { scope, principal_id, role_definition_name, role_definition_id } = planned;
  return textOf(planned["name"]) || guid([scope, principal_id, role_definition_name, role_definition_id].map(String).join(" "));
}

/** The role assignment resource type. */
export const roleAssignments = { azurerm_role_assignment: assignment } as const;
