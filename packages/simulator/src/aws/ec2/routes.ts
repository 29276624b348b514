import type { HookContext } from "../../provider/definition.ts";
import { isList, type ValueMap } from "../../values/value.ts";
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
  ];
}

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
  compute: () => ({ origin: "CreateRoute", state: "active", instance_id: "", instance_owner_id: "", network_interface_id: "" }),
};

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
  const inline = table?.attributes["route"];
  const destination = destinationOf(planned, "destination_");
  const isTaken =
    (isList(inline) && inline.some((each) => destinationOf(mapOf(each), "") === destination)) ||
    (await context.find({ type: "aws_route", id })) !== undefined;
  return isTaken ? [alreadyRouted(destination)] : [];
}

/** The routing resource types. */
export const routes = { aws_route_table: routeTable, aws_route: route, aws_route_table_association: association } as const;
