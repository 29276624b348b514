import { textOf } from "@cloudwright/platform/json";
import type { CloudPart } from "../../library/parts.ts";
import type { AzureContext } from "../library/context.ts";
import { libraryOperations } from "../library/operations.ts";
import { listWidely } from "../library/read-machines.ts";
import {
  applicationGroupKind as kind,
  changeBy,
  describeNetworkResource,
  readPlace,
  spellId,
  type NetworkResource,
} from "./network-parts.ts";
import { listOwnTags, renderOwnerTags } from "./part-support.ts";
import { createResourcePart } from "./resource-part.ts";

/** Application security groups. The ID is the ARM ID. Attributes: `name`, `resource_group_name`, `location`, `tags`. */
export function createApplicationGroupPart(context: AzureContext, entityUid: string): CloudPart {
  const read = (group: NetworkResource) => ({ ...readPlace(context, kind, group), tags: listOwnTags(group.tags) });
  const { getApplicationGroup, putApplicationGroup, deleteApplicationGroup } = libraryOperations;
  return createResourcePart<NetworkResource>(context, entityUid, {
    ...describeNetworkResource<NetworkResource>(context, kind, "applicationSecurityGroupName"),
    name: "azurerm_application_security_group",
    title: "application security group",
    get: getApplicationGroup,
    put: putApplicationGroup,
    remove: deleteApplicationGroup,
    render: (attributes, owner) => ({
      location: textOf(attributes["location"]),
      tags: renderOwnerTags(attributes, owner),
      properties: {},
    }),
    renderChange: (group, attributes) =>
      changeBy(group, attributes, read(group), ({ location }) => ({ location: textOf(location), properties: {} })),
    toAttributes: read,
    async list(signal) {
      const { listApplicationGroups, listGroupApplicationGroups } = libraryOperations;
      const what = "application security groups";
      const found = await listWidely<NetworkResource>(context, what, listApplicationGroups, listGroupApplicationGroups, signal);
      return found.map(({ id = "", tags }) => ({ id: spellId(context, kind, id), tags }));
    },
  });
}
