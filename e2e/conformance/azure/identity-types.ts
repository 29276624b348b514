import { createHash } from "node:crypto";
import type { Answer, ApiRequest } from "./answer.ts";
import { fill, type ArmStore } from "./arm-store.ts";
import { AzureRefusal, type ResourceType } from "./resource-type.ts";

export const tenant = "11111111-1111-1111-1111-111111111111";
/** The identity that Terraform runs as. */
export const caller = { objectId: "22222222-2222-2222-2222-222222222222", clientId: "33333333-3333-3333-3333-333333333333" };

/** Derives a GUID deterministically from a string. */
export function guid(text: string): string {
  const hex = createHash("sha1").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

export const identityTypes: Readonly<Record<string, ResourceType>> = {
  "microsoft.managedidentity/userassignedidentities": {
    statuses: { create: 201, remove: 200 },
    complete(resource) {
      const id = resource.id.toLowerCase();
      fill(resource.properties, { principalId: guid(`principal ${id}`), clientId: guid(`client ${id}`), tenantId: tenant });
    },
    // Azure returns this segment of an identity's id in lower case.
    render: (resource) => ({ ...resource, id: resource.id.replace("/resourceGroups/", "/resourcegroups/") }),
  },
  "microsoft.managedidentity/userassignedidentities/federatedidentitycredentials": {
    statuses: { create: 201, remove: 200 },
  },
  "microsoft.authorization/roleassignments": {
    statuses: { create: 201, update: 201, remove: 200 },
    complete(resource, previous, store) {
      const scope = resource.id.slice(0, resource.id.toLowerCase().lastIndexOf("/providers/microsoft.authorization/"));
      const { properties } = resource;
      fill(properties, { scope, principalType: "User" });
      const same = store
        .list("microsoft.authorization/roleassignments")
        .find(
          ({ id, properties: other }) =>
            id.toLowerCase() !== resource.id.toLowerCase() &&
            other.scope.toLowerCase() === scope.toLowerCase() &&
            other.principalId === properties.principalId &&
            other.roleDefinitionId === properties.roleDefinitionId,
        );
      if (same !== undefined && previous === undefined) {
        throw new AzureRefusal(409, "RoleAssignmentExists", `The role assignment already exists: ${same.id}.`);
      }
    },
  },
};

/** Answers requests for role definitions. Every role name is accepted, and a role's id is its name in hexadecimal. */
export function answerRoleDefinitions({ path, query }: ApiRequest, _store: ArmStore): Answer {
  const scope = /^\/subscriptions\/[^/]+/.exec(path)?.[0] ?? "";
  const render = (roleName: string): object => {
    const name = Buffer.from(roleName).toString("hex").padEnd(32, "0");
    return {
      id: `${scope}/providers/Microsoft.Authorization/roleDefinitions/${name}`,
      name,
      type: "Microsoft.Authorization/roleDefinitions",
      properties: { roleName, type: "BuiltInRole", assignableScopes: ["/"], permissions: [] },
    };
  };
  const wanted = /roleName eq '([^']+)'/.exec(query.get("$filter") ?? "")?.[1];
  if (wanted !== undefined) return { status: 200, body: { value: [render(wanted)] } };
  const name = Buffer.from((path.split("/").at(-1) ?? "").replace(/(00)+$/, ""), "hex").toString();
  return { status: 200, body: render(name) };
}
