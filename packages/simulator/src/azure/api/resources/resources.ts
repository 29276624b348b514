import { textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf } from "../../../values/read-value.ts";
import { getGroup, subscriptionPath, tagsOf, takeLinkedPage } from "../arm-resources.ts";
import { refuse } from "../errors.ts";

/** Operations that list resources of all types. */
export const genericOperations: readonly ApiOperation[] = [
  {
    name: "Resources_List",
    match: { method: "GET", path: "/subscriptions/{subscriptionId}/resources" },
    run: (call) => listAll(call, `${subscriptionPath(call)}/resources`, `${subscriptionPath(call)}/`),
  },
  {
    name: "Resources_ListByResourceGroup",
    match: { method: "GET", path: "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/resources" },
    async run(call) {
      const { id } = await getGroup(call);
      return listAll(call, `${id}/resources`, `${id}/`);
    },
  },
];

async function listAll(call: ApiCall, path: string, prefix: string) {
  const isAsked = readFilter(call.query.get("$filter") ?? "");
  const records = (await call.scope.inventory.list(call.caller.tenant)).filter(
    (record) => record.id.toLowerCase().startsWith(prefix.toLowerCase()) && isTopLevel(record) && isAsked(record),
  );
  const { items, link } = takeLinkedPage(call, path, records, ({ id }) => id);
  return { content: { value: items.map(describe), ...link } };
}

/** Returns whether a record is a resource with a location. Parts of other resources, such as subnets, are not listed. */
function isTopLevel({ id, attributes }: CloudRecord): boolean {
  return /\/providers\/[^/]+\/[^/]+\/[^/|]+$/.test(id) && typeof attributes["location"] === "string";
}

/** Reads the filters that clients use: by tag and by type. */
function readFilter(filter: string): (record: CloudRecord) => boolean {
  if (filter === "") return () => true;
  const tag = /^tagName eq '(?<name>[^']*)'( and tagValue eq '(?<value>[^']*)')?$/.exec(filter)?.groups;
  if (tag !== undefined) {
    const { name = "", value } = tag;
    return ({ attributes }) => {
      const found = mapOf(attributes["tags"])[name];
      return found !== undefined && (value === undefined || found === value);
    };
  }
  const type = /^resourceType eq '(?<type>[^']*)'$/.exec(filter)?.groups?.["type"];
  if (type === undefined) refuse("InvalidFilterInQueryString", "Invalid $filter in the query string.", 400);
  return ({ id }) => typeOf(id).toLowerCase() === type.toLowerCase();
}

function typeOf(id: string): string {
  const [namespace = "", kind = ""] = (id.split("/providers/").at(-1) ?? "").split("/");
  return `${namespace}/${kind}`;
}

function describe(record: CloudRecord): Record<string, unknown> {
  const managedBy = textOf(record.attributes["api_managed_by"]);
  return {
    id: record.id,
    name: record.id.split("/").at(-1),
    type: typeOf(record.id),
    location: textOf(record.attributes["location"]),
    tags: tagsOf(record),
    ...(managedBy === "" ? {} : { managedBy }),
  };
}
