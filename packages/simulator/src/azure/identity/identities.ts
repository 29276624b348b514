import { guid } from "../place.ts";
import { inGroup, type AzureResource } from "../resource.ts";

const identity: AzureResource = {
  noun: "User Assigned Identity",
  path: `${inGroup}/Microsoft.ManagedIdentity/userAssignedIdentities/{name}`,
  takes: { create: 5, update: 2, delete: 2 },
  validate: ({ name }) =>
    typeof name === "string" && !/^[a-zA-Z0-9][a-zA-Z0-9_-]{2,127}$/.test(name)
      ? [{ summary: `"name" must be between 3 and 128 letters, digits, hyphens and underscores`, path: ["name"] }]
      : [],
  compute: ({ id }) => ({ principal_id: guid(`principal ${id}`), client_id: guid(`client ${id}`) }),
};

const credential: AzureResource = {
  noun: "Federated Identity Credential",
  path: "{user_assigned_identity_id}/federatedIdentityCredentials/{name}",
  names: [
    {
      path: "user_assigned_identity_id",
      to: ["azurerm_user_assigned_identity"],
      missing: (id) => ({
        code: "ParentResourceNotFound",
        message: `Failed to perform 'write' on resource(s) of type 'userAssignedIdentities/federatedIdentityCredentials', because the parent resource '${id}' could not be found.`,
        status: 404,
      }),
      tie: "follows",
    },
  ],
  async check({ operation, id, planned }, context) {
    if (operation === "delete") return [];
    const siblings = (await context.list("azurerm_federated_identity_credential")).filter(
      (record) => record.id !== id && record.attributes["user_assigned_identity_id"] === planned["user_assigned_identity_id"],
    );
    const isSame = siblings.some(
      ({ attributes }) => attributes["issuer"] === planned["issuer"] && attributes["subject"] === planned["subject"],
    );
    if (isSame) {
      const message = "Issuer and subject combination already exists for this Managed Identity.";
      return [{ code: "DuplicateResource", message, status: 409 }];
    }
    // Azure allows at most 20 federated credentials per identity.
    if (operation === "create" && siblings.length >= 20) {
      const message = "Too many Federated Identity Credentials on the managed identity. The limit is 20.";
      return [{ code: "BadRequest", message }];
    }
    return [];
  },
};

/** The managed identity resource types. */
export const identities = {
  azurerm_user_assigned_identity: identity,
  azurerm_federated_identity_credential: credential,
} as const;
