import { parseRange, renderAddress } from "@cloudwright/platform";
import { textOf } from "../../values/read-value.ts";
import { hash, numericId } from "../place.ts";
import { refuseQuota } from "../refusal.ts";
import { idIn, inNetwork, inSubnetwork, paths, toId, type GcpChange, type GcpResource, type GcpResources } from "../resource.ts";
import type { HookContext } from "../../provider/definition.ts";

const address: GcpResource = {
  noun: "Address",
  path: paths.address,
  forceNew: [
    "address",
    "address_type",
    "description",
    "network",
    "network_tier",
    "purpose",
    "subnetwork",
    "prefix_length",
    "ip_version",
  ],
  defaults: { address_type: "EXTERNAL" },
  names: [{ ...inNetwork() }, { ...inSubnetwork() }],
  limits: [
    {
      quota: "static-addresses-per-region",
      within: "region",
      refusal: (limit, { region }) => refuseQuota("STATIC_ADDRESSES", limit, `in region ${region}`),
      counts: ({ address_type: type }) => type !== "INTERNAL",
    },
  ],
  takes: { create: 5, update: 2, delete: 5 },
  compute: async (change, context) => ({
    address: await findAddress(change, context),
    address_id: numericId(change.id),
    network_tier: change.planned["address_type"] === "INTERNAL" ? "" : "PREMIUM",
    prefix_length: 0,
    purpose: change.planned["address_type"] === "INTERNAL" ? "GCE_ENDPOINT" : "",
    subnetwork: "",
    users: [],
  }),
  read: async ({ id, attributes }, context) => ({ ...attributes, users: await listUsers(id, context) }),
};

/**
 * Returns an address in the subnet for the address type `INTERNAL`, and an external address for all other types. The same resource always
 * gets the same address.
 */
async function findAddress({ id, planned, place }: GcpChange, context: HookContext): Promise<string> {
  const subnet = idIn(paths.subnetwork)(textOf(planned["subnetwork"]), place);
  const found = await context.find({ type: "google_compute_subnetwork", id: subnet });
  const range = parseRange(textOf(found?.attributes["ip_cidr_range"]));
  const number = Number.parseInt(hash(id).slice(0, 6), 16);
  if (planned["address_type"] !== "INTERNAL" || range === undefined) {
    return `34.${90 + (number % 60)}.${(number >> 8) % 256}.${1 + ((number >> 16) % 254)}`;
  }
  // The first two and the last two addresses of a subnet are reserved.
  return renderAddress(range, 2 + (number % Math.max(1, 2 ** (32 - range.prefix) - 4)));
}

async function listUsers(id: string, context: HookContext): Promise<readonly string[]> {
  const routers = (await context.list("google_compute_router_nat")).filter(({ attributes }) => {
    const ips = attributes["nat_ips"];
    return Array.isArray(ips) && ips.some((ip) => toId(String(ip)) === id);
  });
  return routers.map(({ attributes: { project, region, router } }) => {
    const place = { project: textOf(project), region: textOf(region), zone: "" };
    return `https://www.googleapis.com/compute/v1/${idIn(paths.router)(textOf(router), place)}`;
  });
}

const globalAddress: GcpResource = {
  noun: "GlobalAddress",
  path: "projects/{project}/global/addresses/{name}",
  forceNew: ["address", "address_type", "description", "ip_version", "network", "prefix_length", "purpose"],
  defaults: { address_type: "EXTERNAL" },
  names: [{ ...inNetwork() }],
  takes: { create: 5, update: 2, delete: 5 },
  compute: async (change, context) => ({ address: await findAddress(change, context), prefix_length: 0 }),
};

/** The static address resource types. */
export const addresses: GcpResources = { google_compute_address: address, google_compute_global_address: globalAddress };
