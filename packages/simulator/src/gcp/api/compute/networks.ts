import { listOf, objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { listRegions } from "../../../cloud/regions.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf } from "../../../values/read-value.ts";
import { isList, type ValueMap } from "../../../values/value.ts";
import { numericId } from "../../place.ts";
import { idIn, paths } from "../../resource.ts";
import { renderOperation, tokenOf } from "./compute-operations.ts";
import {
  getRecord,
  lastPart,
  linkOf,
  listHere,
  operate,
  parameterOf,
  renderAggregated,
  renderList,
  scopePath,
} from "./compute-records.ts";

/** A collection of resources with the usual operations. */
interface Collection {
  /** The plural in paths, such as `networks`. */
  readonly name: string;
  /** The singular in `kind`, such as `network`. */
  readonly kind: string;
  readonly type: string;
  readonly scope: "/global" | "/regions/{region}";
  write(body: Readonly<Record<string, unknown>>): ValueMap;
  render(record: CloudRecord): Readonly<Record<string, unknown>>;
}

const networks: Collection = {
  name: "networks",
  kind: "network",
  type: "google_compute_network",
  scope: "/global",
  write: ({ name, autoCreateSubnetworks, description, mtu, routingConfig }) => ({
    name: textOf(name),
    auto_create_subnetworks: autoCreateSubnetworks !== false,
    ...(textOf(description) === "" ? {} : { description: textOf(description) }),
    ...(typeof mtu === "number" ? { mtu } : {}),
    ...(routingConfig === undefined ? {} : { routing_mode: textOf(objectOf(routingConfig)["routingMode"]) }),
  }),
  render: ({ attributes }) => ({
    autoCreateSubnetworks: attributes["auto_create_subnetworks"] === true,
    ...(typeof attributes["mtu"] === "number" ? { mtu: attributes["mtu"] } : {}),
    routingConfig: { routingMode: textOf(attributes["routing_mode"]) || "REGIONAL" },
    networkFirewallPolicyEnforcementOrder: "AFTER_CLASSIC_FIREWALL",
  }),
};

const subnetworks: Collection = {
  name: "subnetworks",
  kind: "subnetwork",
  type: "google_compute_subnetwork",
  scope: "/regions/{region}",
  write: ({ name, network, ipCidrRange, description, privateIpGoogleAccess, secondaryIpRanges }) => ({
    name: textOf(name),
    network: textOf(network).includes("projects/") ? textOf(network).replace(/^.*?(?=projects\/)/, "") : lastPart(network),
    ip_cidr_range: textOf(ipCidrRange),
    ...(textOf(description) === "" ? {} : { description: textOf(description) }),
    ...(privateIpGoogleAccess === true ? { private_ip_google_access: true } : {}),
    secondary_ip_range: listOf(secondaryIpRanges)
      .map(objectOf)
      .map((range) => ({ range_name: textOf(range["rangeName"]), ip_cidr_range: textOf(range["ipCidrRange"]) })),
  }),
  render({ id, attributes }) {
    const [, project = "", , region = ""] = id.split("/");
    const secondary = attributes["secondary_ip_range"];
    const ranges = (isList(secondary) ? secondary : [])
      .map(mapOf)
      .map((range) => ({ rangeName: textOf(range["range_name"]), ipCidrRange: textOf(range["ip_cidr_range"]) }));
    return {
      network: linkOf(idIn(paths.network)(textOf(attributes["network"]), { project, region, zone: "" })),
      region: linkOf(`projects/${project}/regions/${region}`),
      ipCidrRange: textOf(attributes["ip_cidr_range"]),
      gatewayAddress: textOf(attributes["gateway_address"]) || undefined,
      privateIpGoogleAccess: attributes["private_ip_google_access"] === true,
      purpose: "PRIVATE",
      stackType: "IPV4_ONLY",
      ...(ranges.length === 0 ? {} : { secondaryIpRanges: ranges }),
    };
  },
};

/** Operations on networks and subnetworks. */
export const networkOperations: readonly ApiOperation[] = [
  ...listOperations(networks),
  ...listOperations(subnetworks),
  operate(
    "subnetworks.aggregatedList",
    ["GET", "/aggregated/subnetworks"],
    { type: subnetworks.type, operation: "read" },
    async (call) => {
      const found = await listHere(call, subnetworks.type, `projects/${parameterOf(call, "project")}/regions/`);
      const items = found.map((record) => ({
        scope: `regions/${record.id.split("/")[3]}`,
        item: renderOne(subnetworks, record),
      }));
      const scopes = listRegions("gcp").map((region) => `regions/${region}`);
      return renderAggregated(call, "subnetworkAggregatedList", "subnetworks", items, scopes);
    },
  ),
];

function listOperations(collection: Collection): readonly ApiOperation[] {
  const { name, kind, type, scope, write } = collection;
  const path = `${scope}/${name}`;
  const get = (call: ApiCall): Promise<CloudRecord> =>
    getRecord(call, type, `${scopePath(call)}/${name}/${parameterOf(call, "name")}`);
  return [
    operate(`${name}.insert`, ["POST", path], { type, operation: "create" }, async (call) => {
      const body = objectOf(call.body);
      const region = parameterOf(call, "region");
      const place = { project: parameterOf(call, "project"), ...(region === "" ? {} : { region }) };
      const note = { name: "insert", token: tokenOf(call), request: body, beyond: { api_created_ms: Math.floor(call.nowMs) } };
      return renderOperation(call, (await call.operations.create(type, { ...write(body), ...place }, note)).operation);
    }),
    operate(`${name}.get`, ["GET", `${path}/{name}`], { type, operation: "read" }, async (call) =>
      renderOne(collection, await get(call)),
    ),
    operate(`${name}.list`, ["GET", path], { type, operation: "read" }, async (call) => {
      const items = (await listHere(call, type)).map((record) => renderOne(collection, record));
      return renderList(call, `${kind}List`, items, `${scopePath(call)}/${name}`);
    }),
    operate(`${name}.delete`, ["DELETE", `${path}/{name}`], { type, operation: "delete" }, async (call) =>
      renderOperation(call, await call.operations.delete(await get(call), { name: "delete", token: tokenOf(call) })),
    ),
  ];
}

function renderOne({ kind, render }: Collection, record: CloudRecord): Record<string, unknown> {
  const { id, attributes } = record;
  return {
    kind: `compute#${kind}`,
    id: numericId(id),
    creationTimestamp: textOf(attributes["creation_timestamp"]) || undefined,
    name: textOf(attributes["name"]),
    description: textOf(attributes["description"]) || undefined,
    selfLink: linkOf(id),
    ...render(record),
  };
}
