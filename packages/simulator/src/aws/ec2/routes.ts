import type { HookContext, SideEffects } from "../../provider/definition.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import { isList, type Value, type ValueMap } from "../../values/value.ts";
import { arnOf } from "../place.ts";
import { mapOf, textOf } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import type { AwsChange, AwsResource, Reference } from "../resource.ts";
import { inVpc, notFound } from "./not-found.ts";
import { companionsOf } from "./vpc.ts";

const isGateway = (written: string): string | undefined => (written.startsWith("igw-") ? written : undefined);

function listTargets(prefix: string): readonly Reference[] {
  return [
    {
      path: `${prefix}gateway_id`,
      to: ["aws_internet_gateway"],
      missing: notFound.gateway,
      tie: "none",
      idOf: isGateway,
    },
    { path: `${prefix}nat_gateway_id`, to: ["aws_nat_gateway"], missing: notFound.nat, tie: "none" },
    {
      path: `${prefix}egress_only_gateway_id`,
      to: ["aws_egress_only_internet_gateway"],
      missing: notFound.gateway,
      tie: "none",
    },
  ];
}

/** Marks tables whose routes all have records. Inventories from earlier releases have no records for routes that are blocks of a table. */
const marker = "routes_have_records";

const routeTable: AwsResource = {
  service: "EC2",
  noun: "Route Table",
  calls: { update: "CreateRoute" },
  id: "rtb",
  arn: (id, _attributes, place) => arnOf(place, "ec2", `route-table/${id}`),
  forceNew: ["vpc_id"],
  names: [inVpc, ...listTargets("route.")],
  limits: [
    {
      quota: "route-tables-per-vpc",
      within: "vpc_id",
      refusal: () => ({ code: "RouteTableLimitExceeded", message: "The maximum number of route tables has been reached." }),
    },
  ],
  held: (id) => ({ code: "DependencyViolation", message: `The routeTable '${id}' has dependencies and cannot be deleted.` }),
  takes: { create: 1, delete: 1 },
  check: ({ planned }) => {
    const routes = planned["route"];
    const destinations = (isList(routes) ? routes : []).map((route) => destinationOf(mapOf(route), ""));
    const twin = destinations.find((destination, index) => destination !== "" && destinations.indexOf(destination) !== index);
    return twin === undefined ? [] : [alreadyRouted(twin)];
  },
  // A provider that is killed after it created the table has not created the routes yet, as in EC2.
  hidden: { [marker]: true },
  // EC2 has one list of routes per table. Terraform can manage them as blocks of the table or as separate resources, so both views must
  // agree.
  read: async ({ id, attributes }, context) => ({ ...attributes, route: await listInline(id, attributes, context) }),
  sideEffects: async ({ id, prior, planned, operation }, context) => {
    if (operation === "delete") return {};
    const stored = await context.find({ type: "aws_route_table", id });
    const before = inlineRoutes(prior).map((each) => destinationOf(each, ""));
    const after = inlineRoutes(planned);
    const kept = new Set(after.map((each) => destinationOf(each, "")));
    return {
      put: [
        ...after.map((each) => toRecord(id, each, planned)),
        ...(stored === undefined ? [] : [{ ...stored, attributes: { ...stored.attributes, [marker]: true } }]),
      ],
      delete: before.filter((each) => !kept.has(each)).map((each) => ({ type: "aws_route", id: `${id}_${each}` })),
    };
  },
};

const route: AwsResource = {
  service: "EC2",
  noun: "Route",
  calls: { create: "CreateRoute", update: "ReplaceRoute", delete: "DeleteRoute" },
  // The id has the format that `terraform import` expects.
  id: (planned) => `${textOf(planned["route_table_id"])}_${destinationOf(planned, "destination_")}`,
  forceNew: ["route_table_id", "destination_cidr_block", "destination_ipv6_cidr_block", "destination_prefix_list_id"],
  names: [{ path: "route_table_id", to: ["aws_route_table"], tie: "follows" }, ...listTargets("")],
  takes: { create: 1, delete: 1 },
  check: async (change, context) => (change.operation === "create" ? checkRoute(change, context) : []),
  compute: () => computedRoute,
  // A route whose gateway was deleted works again once it points to another gateway.
  recompute: { state: (prior) => prior["state"] === "blackhole" },
  sideEffects: async ({ operation, prior, planned }, context) => {
    const { route_table_id: id } = operation === "delete" ? prior : planned;
    const table = await context.find({ type: "aws_route_table", id: textOf(id) });
    if (table === undefined) return {};
    const destination = destinationOf(operation === "delete" ? prior : planned, "destination_");
    const others = inlineRoutes(table.attributes).filter((each) => destinationOf(each, "") !== destination);
    const own = operation === "delete" ? [] : [toInline(planned)];
    return { put: [{ ...table, attributes: { ...table.attributes, route: [...others, ...own] } }] };
  },
};

const computedRoute = {
  origin: "CreateRoute",
  state: "active",
  instance_id: "",
  instance_owner_id: "",
  network_interface_id: "",
} as const;

// Target attributes have the same names in a block and in a resource. Destination attributes have a prefix in a resource.
const targetNames = [
  "carrier_gateway_id",
  "core_network_arn",
  "egress_only_gateway_id",
  "gateway_id",
  "local_gateway_id",
  "nat_gateway_id",
  "network_interface_id",
  "odb_network_arn",
  "transit_gateway_id",
  "vpc_endpoint_id",
  "vpc_peering_connection_id",
] as const;

function inlineRoutes(attributes: ValueMap): readonly ValueMap[] {
  const routes = attributes["route"];
  return (isList(routes) ? routes : []).map(mapOf);
}

function pickTargets(attributes: ValueMap): ValueMap {
  return Object.fromEntries(targetNames.map((name) => [name, textOrNull(attributes[name])]));
}

function textOrNull(value: Value | undefined): string | null {
  return textOf(value) || null;
}

function isSameTarget(one: ValueMap, other: ValueMap): boolean {
  return targetNames.every((name) => textOf(one[name]) === textOf(other[name]));
}

function toInline(attributes: ValueMap): ValueMap {
  return {
    ...pickTargets(attributes),
    cidr_block: textOrNull(attributes["destination_cidr_block"]),
    ipv6_cidr_block: textOrNull(attributes["destination_ipv6_cidr_block"]),
    destination_prefix_list_id: textOrNull(attributes["destination_prefix_list_id"]),
  };
}

function toRecord(tableId: string, inline: ValueMap, table: ValueMap): CloudRecord {
  const id = `${tableId}_${destinationOf(inline, "")}`;
  const attributes = {
    id,
    region: textOf(table["region"]),
    route_table_id: tableId,
    destination_cidr_block: textOrNull(inline["cidr_block"]),
    destination_ipv6_cidr_block: textOrNull(inline["ipv6_cidr_block"]),
    destination_prefix_list_id: textOrNull(inline["destination_prefix_list_id"]),
    ...pickTargets(inline),
    ...computedRoute,
  };
  return { type: "aws_route", id, attributes };
}

/** Returns all routes of a table, including those that were added as resources or outside Terraform. */
async function listInline(id: string, attributes: ValueMap, context: HookContext): Promise<readonly ValueMap[]> {
  const inline = inlineRoutes(attributes);
  const added = (await context.list("aws_route")).filter((each) => each.attributes["route_table_id"] === id);
  const records = added.map((each) => toInline(each.attributes));
  const kept = inline.filter((each) => {
    const record = records.find((other) => destinationOf(other, "") === destinationOf(each, ""));
    return record === undefined ? attributes[marker] !== true : isSameTarget(record, each);
  });
  const destinations = new Set(kept.map((each) => destinationOf(each, "")));
  return [...kept, ...records.filter((each) => !destinations.has(destinationOf(each, "")))];
}

/** Marks the routes through a deleted gateway as blackholes, as EC2 does. The routes stay in their tables and drop all traffic. */
export async function blackholeRoutes(gatewayId: string, context: HookContext): Promise<SideEffects> {
  const through = (await context.list("aws_route")).filter(({ attributes }) =>
    targetNames.some((name) => attributes[name] === gatewayId),
  );
  return { put: through.map((each) => ({ ...each, attributes: { ...each.attributes, state: "blackhole" } })) };
}

const association: AwsResource = {
  service: "EC2",
  noun: "Route Table Association",
  calls: { create: "AssociateRouteTable", update: "ReplaceRouteTableAssociation", delete: "DisassociateRouteTable" },
  // The id has the format that `terraform import` expects. It also prevents associating a subnet with the same table twice.
  id: (planned) => `${textOf(planned["subnet_id"]) || textOf(planned["gateway_id"])}/${textOf(planned["route_table_id"])}`,
  forceNew: ["subnet_id", "gateway_id", "route_table_id"],
  names: [
    { path: "subnet_id", to: ["aws_subnet"], missing: notFound.subnet, tie: "follows" },
    { path: "route_table_id", to: ["aws_route_table"], missing: notFound.routeTable, tie: "holds" },
  ],
  check: async ({ operation, planned }, context) => {
    const subnetId = textOf(planned["subnet_id"]);
    if (operation !== "create" || subnetId === "") return [];
    const other = (await context.list("aws_route_table_association")).some(
      ({ attributes }) => attributes["subnet_id"] === subnetId,
    );
    const message = `the specified association for route table ${textOf(planned["route_table_id"])} conflicts with an existing association`;
    return other ? [{ code: "Resource.AlreadyAssociated", message }] : [];
  },
};

function destinationOf(attributes: ValueMap, prefix: string): string {
  const names = [`${prefix}cidr_block`, `${prefix}ipv6_cidr_block`, "destination_prefix_list_id"];
  return names.map((name) => textOf(attributes[name])).find((text) => text !== "") ?? "";
}

function alreadyRouted(destination: string): Refusal {
  return { code: "RouteAlreadyExists", message: `The route identified by ${destination} already exists.` };
}

async function checkRoute({ id, planned }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const tableId = textOf(planned["route_table_id"]);
  const table = await context.find({ type: "aws_route_table", id: tableId });
  const isMain = (await context.list("aws_vpc")).some((vpc) => companionsOf(vpc.id).routeTable === tableId);
  if (table === undefined && !isMain) return [notFound.routeTable(tableId)];
  const destination = destinationOf(planned, "destination_");
  const inline = inlineRoutes(table?.attributes ?? {}).find((each) => destinationOf(each, "") === destination);
  // A route that is a block of the table and has no record may also be created as a resource, provided that the target is the same.
  const isOther = inline !== undefined && table?.attributes[marker] !== true && !isSameTarget(inline, planned);
  const isTaken = isOther || (await context.find({ type: "aws_route", id })) !== undefined;
  return isTaken ? [alreadyRouted(destination)] : [];
}

/** The routing resource types. */
export const routes = { aws_route_table: routeTable, aws_route: route, aws_route_table_association: association } as const;
