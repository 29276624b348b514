import type { CloudRecord } from "../../inventory/inventory.ts";
import { parseRange } from "@cloudwright/platform";
import type { HookContext } from "../../provider/definition.ts";
import { textOf } from "../../values/read-value.ts";
import { checkName, findParent, missingParent } from "../names.ts";
import type { Refusal } from "../refusal.ts";
import { inGroup, type AzureChange, type AzureResource } from "../resource.ts";

const parent = { type: "azurerm_route_table", segment: "routeTables", nameAttribute: "route_table_name" } as const;

const table: AzureResource = {
  noun: "Route Table",
  path: `${inGroup}/Microsoft.Network/routeTables/{name}`,
  defaults: { bgp_route_propagation_enabled: true },
  takes: { create: 3, update: 2, delete: 5 },
  limits: [
    {
      quota: "route-tables-per-region",
      within: "location",
      refusal: (limit) => ({
        code: "RouteTableCountLimitReached",
        message: `Cannot create more than ${limit} route tables for this subscription in this region.`,
      }),
    },
  ],
  held: (id, holder) => ({
    code: "InUseRouteTableCannotBeDeleted",
    message: `Route table ${id} is in use and cannot be deleted. It is associated with ${holder.id}.`,
  }),
  check: ({ operation, planned }) => (operation === "delete" ? [] : checkName(planned, 80)),
  compute: ({ planned }) => ({ route: planned["route"] ?? [], subnets: [] }),
  read: async ({ id, attributes: stored }, context) => ({
    ...stored,
    route: (await listRoutes(id, context)).map(({ attributes }) => ({
      name: attributes["name"] ?? "",
      address_prefix: attributes["address_prefix"] ?? "",
      next_hop_type: attributes["next_hop_type"] ?? "",
      next_hop_in_ip_address: attributes["next_hop_in_ip_address"] ?? "",
    })),
    subnets: (await context.list("azurerm_subnet_route_table_association")).flatMap(({ attributes }) =>
      attributes["route_table_id"] === id ? [textOf(attributes["subnet_id"])] : [],
    ),
  }),
};

const route: AzureResource = {
  noun: "Route",
  path: `${inGroup}/Microsoft.Network/routeTables/{route_table_name}/routes/{name}`,
  takes: { create: 2, update: 2, delete: 2 },
  check: (change, context) => (change.operation === "delete" ? [] : checkRoute(change, context)),
};

async function checkRoute({ id, planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  const found = await findParent(planned, parent, context);
  if (found === undefined) return [missingParent(planned, parent.segment, parent.nameAttribute)];
  const wrongName = checkName(planned, 80);
  if (wrongName.length > 0) return wrongName;
  const [name, prefix] = [textOf(planned["name"]), textOf(planned["address_prefix"])];
  if (parseRange(prefix) === undefined && !/^[A-Z]/.test(prefix))
    return [
      { code: "InvalidAddressPrefixFormat", message: `Address prefix ${prefix} of resource ${id} is not formatted correctly.` },
    ];
  const isAppliance = planned["next_hop_type"] === "VirtualAppliance";
  if (isAppliance !== (textOf(planned["next_hop_in_ip_address"]) !== "")) {
    const what = isAppliance ? "must" : "cannot";
    return [{ code: "InvalidNextHopIpAddress", message: `Route ${name} ${what} have a next hop IP address.` }];
  }
  const twin = (await listRoutes(found.id, context)).find(
    (other) => other.id !== id && other.attributes["address_prefix"] === prefix,
  );
  if (twin === undefined) return [];
  const message = `Route ${name} conflicts with route ${textOf(twin.attributes["name"])}. Routes cannot have the same AddressPrefix.`;
  return [{ code: "RouteConflict", message, path: ["address_prefix"] }];
}

async function listRoutes(tableId: string, context: HookContext): Promise<readonly CloudRecord[]> {
  return (await context.list("azurerm_route")).filter((record) => record.id.startsWith(`${tableId}/routes/`));
}

/** The route table resource types. */
export const routes = { azurerm_route_table: table, azurerm_route: route } as const;
