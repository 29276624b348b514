import { textOf } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes } from "../../library/parts.ts";
import { waitFor } from "../../library/wait-for.ts";
import { spellLocation, type AzureContext } from "../library/context.ts";
import { libraryOperations } from "../library/operations.ts";
import type { GenericResource, ResourceGroup } from "../models.ts";
import { operations } from "../operations.ts";
import { listOwnTags, renderOwnerTags, replaceTags } from "./part-support.ts";
import { createResourcePart } from "./resource-part.ts";

/** How long Azure may continue to list deleted resources of a group. */
const emptyMs = 10 * 60_000;

type Group = ResourceGroup & { readonly location?: string; readonly properties?: { readonly provisioningState?: string } };

/**
 * Resource groups. The ID is the ARM ID. Attributes: `name`, `location`, `tags`. A group that still contains resources is not deleted,
 * because Azure would delete them with it.
 */
export function createGroupPart(context: AzureContext, entityUid: string): CloudPart {
  const { options } = context;
  const part = createResourcePart<Group>(context, entityUid, {
    name: "azurerm_resource_group",
    title: "resource group",
    immutable: ["name", "location", "failed"],
    get: libraryOperations.getGroup,
    put: libraryOperations.putGroup,
    remove: libraryOperations.deleteGroup,
    isConditional: false,
    idOf: (attributes) => renderGroupId(options.subscriptionId, textOf(attributes["name"])),
    pathOf: readGroupPath,
    tagsOf: ({ tags }) => tags,
    render: (attributes, owner) => ({
      location: textOf(attributes["location"]),
      tags: renderOwnerTags(attributes, owner),
    }),
    renderChange({ location = "", tags }, attributes) {
      const next = attributes["tags"] === undefined ? { ...tags } : replaceTags(tags, attributes["tags"]);
      return isDeepStrictEqual(next, { ...tags }) ? undefined : { location, tags: next };
    },
    toAttributes: ({ id = "", location = "", tags }): PartAttributes => ({
      name: readGroupPath(id)["resourceGroupName"] ?? "",
      location: spellLocation(location),
      tags: listOwnTags(tags),
    }),
    readState({ properties }) {
      const nativeStatus = properties?.provisioningState ?? "Succeeded";
      return { isReady: nativeStatus === "Succeeded", isFailed: nativeStatus === "Failed", nativeStatus };
    },
    async list(signal) {
      const found = await listGroups(context, signal);
      // AKS copies a cluster's tags to its node resource group.
      return found
        .filter(({ managedBy = "" }) => managedBy === "")
        .map(({ name = "", tags }) => ({ id: renderGroupId(options.subscriptionId, name), tags }));
    },
  });
  return {
    ...part,
    async delete(id, signal) {
      if ((await part.findOwner(id, signal)) === entityUid) await waitEmpty(context, readGroupPath(id), signal);
      await part.delete(id, signal);
    },
  };
}

type GroupPath = Readonly<Record<string, string>>;

/** Waits until Azure lists no resource in a group. Throws `clouds.conflict` if some remain. */
async function waitEmpty(context: AzureContext, path: GroupPath, signal: AbortSignal): Promise<void> {
  const { resourceGroupName: name } = path;
  let left: readonly GenericResource[] = [];
  try {
    await waitFor(context.clock, {
      cloud: "azure",
      timeoutMs: emptyMs,
      signal,
      describe: () => `the resource group ${name} still contains ${left[0]?.id}`,
      async read() {
        left = await listInside(context, path, signal);
        return left.length;
      },
      isDone: (count) => count === 0,
    });
  } catch (error) {
    if (!isCloudFault(error, "timeout")) throw error;
    const what = `contains ${left.length} resource${left.length === 1 ? "" : "s"} that do not belong to this entity, such as ${left[0]?.id}`;
    throw createCloudFault(`the resource group ${name} ${what}; move or delete them first`, {
      cloud: "azure",
      category: "conflict",
    });
  }
}

async function listInside({ api }: AzureContext, path: GroupPath, signal: AbortSignal): Promise<readonly GenericResource[]> {
  try {
    const doing = `list the resources of the group ${path["resourceGroupName"]}`;
    return await api.list<GenericResource>(doing, libraryOperations.listGroupResources, { path, signal });
  } catch (error) {
    if (isCloudFault(error, "not_found")) return [];
    throw error;
  }
}

async function listGroups({ api }: AzureContext, signal: AbortSignal): Promise<readonly ResourceGroup[]> {
  try {
    return await api.list<ResourceGroup>("list the resource groups", operations.listGroups, { signal });
  } catch (error) {
    // Credentials that are limited to one group can neither list nor create groups.
    if (isCloudFault(error, "denied")) return [];
    throw error;
  }
}

function renderGroupId(subscriptionId: string, name: string): string {
  return `/subscriptions/${subscriptionId}/resourceGroups/${name}`;
}

function readGroupPath(id: string): GroupPath {
  const { subscription, name } =
    /^\/subscriptions\/(?<subscription>[\w-]+)\/resourcegroups\/(?<name>[^/]+)$/i.exec(id)?.groups ?? {};
  if (subscription === undefined || name === undefined)
    throw refuseRequest("azure", `"${id}" is not the ID of a resource group; use /subscriptions/<ID>/resourceGroups/<name>`);
  return { subscriptionId: subscription, resourceGroupName: name };
}
