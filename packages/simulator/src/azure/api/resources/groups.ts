import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import {
  findById,
  getGroup,
  parameterOf,
  pauseFor,
  readTags,
  stateOf,
  subscriptionPath,
  tagsOf,
  takeLinkedPage,
} from "../arm-resources.ts";
import { requireIdle, spellLocation } from "../arm-kind.ts";
import { refuse } from "../errors.ts";

const type = "azurerm_resource_group";
const all = "/subscriptions/{subscriptionId}/resourcegroups";
const one = `${all}/{resourceGroupName}`;

/** Operations on resource groups. */
export const groupOperations: readonly ApiOperation[] = [
  {
    name: "ResourceGroups_List",
    match: { method: "GET", path: all },
    touches: { type, operation: "read" },
    async run(call) {
      const prefix = `${subscriptionPath(call)}/`.toLowerCase();
      const own = (await listRecords(call, type)).filter(({ id }) => id.toLowerCase().startsWith(prefix));
      const { items, link } = takeLinkedPage(call, `${subscriptionPath(call)}/resourcegroups`, own, ({ id }) => id);
      return { content: { value: items.map((record) => describe(call, record)), ...link } };
    },
  },
  {
    name: "ResourceGroups_Get",
    match: { method: "GET", path: one },
    touches: { type, operation: "read" },
    run: async (call) => ({ content: describe(call, await getGroup(call)) }),
  },
  {
    name: "ResourceGroups_CheckExistence",
    match: { method: "HEAD", path: one },
    touches: { type, operation: "read" },
    run: async (call) => ({ status: (await findGroup(call)) === undefined ? 404 : 204, content: undefined }),
  },
  {
    name: "ResourceGroups_CreateOrUpdate",
    match: { method: "PUT", path: one },
    touches: { type, operation: "create" },
    async run(call) {
      const body = objectOf(call.body);
      const existing = await findGroup(call);
      const location = spellLocation(textOf(body["location"]));
      if (existing === undefined) {
        if (location === "") refuse("LocationRequired", "The location property is required for this definition.", 400);
        const config = { name: parameterOf(call, "resourceGroupName"), location, ...readTags(body) };
        const { record } = await call.operations.create(type, config, { isInstant: true });
        return { status: 201, content: describe(call, record) };
      }
      if (location !== "" && location !== spellLocation(textOf(existing.attributes["location"]))) {
        const message = `Invalid resource group location '${location}'. The Resource group already exists in location '${textOf(existing.attributes["location"])}'.`;
        refuse("InvalidResourceGroupLocation", message, 409);
      }
      requireIdle(call, existing);
      const { record } = await call.operations.update(existing, readTags(body), { isInstant: true });
      return { content: describe(call, record) };
    },
  },
  {
    name: "ResourceGroups_Delete",
    match: { method: "DELETE", path: one },
    touches: { type, operation: "delete" },
    async run(call) {
      const record = await getGroup(call);
      const pending = call.operations.findPending(record);
      const operation =
        pending?.verb === "delete" ? pending : await call.operations.delete(record, { name: "ResourceGroups_Delete" });
      const version = `api-version=${call.query.get("api-version") ?? ""}`;
      const location = `${call.origin}${subscriptionPath(call)}/operationresults/${operation.id}?${version}`;
      return { status: 202, headers: { location, "retry-after": pauseFor(call, operation) }, content: undefined };
    },
  },
  {
    name: "GetOperationResult",
    match: { method: "GET", path: "/subscriptions/{subscriptionId}/operationresults/{operationId}" },
    async run(call) {
      const id = parameterOf(call, "operationId");
      const operation = call.operations.find(id) ?? refuse("NotFound", "The operation could not be found.", 404);
      if (!call.operations.isPending(operation)) return { status: 200, content: undefined };
      const location = `${call.origin}${subscriptionPath(call)}/operationresults/${operation.id}?${call.query.toString()}`;
      return { status: 202, headers: { location, "retry-after": pauseFor(call, operation) }, content: undefined };
    },
  },
];

function findGroup(call: ApiCall): Promise<CloudRecord | undefined> {
  return findById(call, type, `${subscriptionPath(call)}/resourceGroups/${parameterOf(call, "resourceGroupName")}`);
}

function describe(call: ApiCall, record: CloudRecord): Record<string, unknown> {
  return {
    id: record.id,
    name: textOf(record.attributes["name"]),
    type: "Microsoft.Resources/resourceGroups",
    location: textOf(record.attributes["location"]),
    tags: tagsOf(record),
    properties: { provisioningState: stateOf(call, record) },
  };
}
