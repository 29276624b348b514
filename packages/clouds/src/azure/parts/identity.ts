import { textOf } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import type { CloudPart } from "../../library/parts.ts";
import type { AzureContext } from "../library/context.ts";
import { libraryOperations } from "../library/operations.ts";
import { listClusters } from "../library/read-aks.ts";
import { listWidely } from "../library/read-machines.ts";
import { readReference, type ReferenceKind } from "../library/references.ts";
import { groupOf } from "../resource-ids.ts";
import { readPlace, renderPartId, spellId } from "./network-parts.ts";
import { listOwnTags, renderOwnerTags, replaceTags } from "./part-support.ts";
import { createResourcePart } from "./resource-part.ts";

const identityKind: ReferenceKind = {
  title: "a managed identity",
  type: "Microsoft.ManagedIdentity/userAssignedIdentities",
  namePattern: /^[a-z0-9][\w-]{2,127}$/i,
  nameRule: "3 to 128 letters, digits, - and _",
};

interface Identity {
  readonly id?: string;
  readonly location?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly properties?: { readonly provisioningState?: string; readonly principalId?: string; readonly clientId?: string };
}

/**
 * User-assigned identities. The ID is the ARM ID. Attributes: `name`, `resource_group_name`, `location`, `tags`. The outputs
 * `principal_id` and `client_id` are its IDs in Microsoft Entra ID.
 */
export function createIdentityPart(context: AzureContext, entityUid: string): CloudPart {
  return createResourcePart<Identity>(context, entityUid, {
    name: "azurerm_user_assigned_identity",
    title: "managed identity",
    immutable: ["name", "resource_group_name", "location", "failed"],
    get: libraryOperations.getIdentity,
    put: libraryOperations.putIdentity,
    remove: libraryOperations.deleteIdentity,
    isConditional: false,
    idOf: (attributes) => renderPartId(context, identityKind, attributes),
    pathOf(id) {
      const { subscriptionId, resourceGroup, name } = readReference(context, identityKind, id);
      return { subscriptionId, resourceGroupName: resourceGroup, resourceName: name };
    },
    tagsOf: ({ tags }) => tags,
    render: (attributes, owner) => ({
      location: textOf(attributes["location"]),
      tags: renderOwnerTags(attributes, owner),
    }),
    renderChange({ location = "", tags }, attributes) {
      const next = attributes["tags"] === undefined ? { ...tags } : replaceTags(tags, attributes["tags"]);
      return isDeepStrictEqual(next, { ...tags }) ? undefined : { location, tags: next };
    },
    toAttributes: (identity) => ({
      ...readPlace(context, identityKind, identity),
      principal_id: identity.properties?.principalId ?? "",
      client_id: identity.properties?.clientId ?? "",
      tags: listOwnTags(identity.tags),
    }),
    readState: () => ({ isReady: true, isFailed: false, nativeStatus: "Succeeded" }),
    async list(signal) {
      const { listIdentities, listGroupIdentities } = libraryOperations;
      const found = await listWidely<Identity>(context, "managed identities", listIdentities, listGroupIdentities, signal);
      // AKS creates identities in a cluster's node resource group and copies the cluster's tags to them.
      const clusters = await listClusters(context, signal);
      const managed = new Set(clusters.map(({ properties }) => (properties?.nodeResourceGroup ?? "").toLowerCase()));
      return found
        .filter(({ id = "" }) => !managed.has(groupOf(id)))
        .map(({ id = "", tags }) => ({ id: spellId(context, identityKind, id), tags }));
    },
  });
}
