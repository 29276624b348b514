import { isList } from "../../values/value.ts";
import { mapOf, textOf, textsAt } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { refuseMissing, refuseQuota, type Refusal } from "../refusal.ts";
import { idIn, inNetwork, inSubnetwork, paths, type GcpResource, type GcpResources } from "../resource.ts";

const router: GcpResource = {
  noun: "Router",
  path: paths.router,
  forceNew: ["network", "encrypted_interconnect_router", "params"],
  names: [inNetwork()],
  limits: [{ quota: "routers-per-project", within: "", refusal: (limit) => refuseQuota("ROUTERS", limit, "globally") }],
  takes: { create: 10, update: 5, delete: 10 },
  // Google Cloud allows at most five routers per network and region.
  check: async ({ operation, planned, place }, context) => {
    if (operation !== "create") return [];
    const peers = (await context.list("google_compute_router")).filter(
      ({ attributes }) => attributes["region"] === place.region && attributes["network"] === planned["network"],
    );
    return peers.length < 5 ? [] : [refuseQuota("ROUTERS_PER_REGION_PER_VPC_NETWORK", 5, `in region ${place.region}`)];
  },
};

const nat: GcpResource = {
  noun: "RouterNat",
  path: "{project}/{region}/{router}/{name}",
  forceNew: ["type", "auto_network_tier", "initial_nat_ips"],
  defaults: {
    icmp_idle_timeout_sec: 30,
    tcp_established_idle_timeout_sec: 1200,
    tcp_transitory_idle_timeout_sec: 30,
    tcp_time_wait_timeout_sec: 120,
    udp_idle_timeout_sec: 30,
    type: "PUBLIC",
  },
  names: [
    { path: "router", to: ["google_compute_router"], missing: refuseMissing, tie: "follows", idOf: idIn(paths.router) },
    { path: "nat_ips", to: ["google_compute_address"], missing: refuseMissing, tie: "holds", idOf: idIn(paths.address) },
    { ...inSubnetwork("subnetwork.name") },
  ],
  takes: { create: 10, update: 10, delete: 10 },
  check: async (change, context) => {
    if (change.operation === "delete") return [];
    const [wrong] = checkAddresses(change.planned);
    if (wrong !== undefined) return [wrong];
    const all = (await context.list("google_compute_router_nat")).filter(({ id }) => id !== change.id);
    const covered = new Set(all.flatMap(({ attributes }) => textsAt(attributes, "subnetwork.name")));
    const twice = textsAt(change.planned, "subnetwork.name").find((name) => covered.has(name));
    if (twice === undefined) return [];
    const message = `Invalid value for field 'resource.nats[0].subnetworks[0].name': '${twice}'. Subnetwork ranges are already covered by another NAT.`;
    return [{ code: "invalid", message, path: ["subnetwork"] }];
  },
  compute: ({ planned }) => ({
    auto_network_tier: "PREMIUM",
    drain_nat_ips: [],
    nat_ips: [],
    enable_dynamic_port_allocation: false,
    enable_endpoint_independent_mapping: false,
    endpoint_types: ["ENDPOINT_TYPE_VM"],
    min_ports_per_vm: planned["enable_dynamic_port_allocation"] === true ? 32 : 64,
  }),
};

function checkAddresses(planned: ValueMap): readonly Refusal[] {
  const option = textOf(planned["nat_ip_allocate_option"]);
  const addresses = isList(planned["nat_ips"]) ? planned["nat_ips"].length : 0;
  if (option === "MANUAL_ONLY" && addresses === 0) {
    const message =
      "Invalid value for field 'resource.nats[0].natIps': ''. nat_ips must be set if nat_ip_allocate_option is MANUAL_ONLY.";
    return [{ code: "invalid", message, path: ["nat_ips"] }];
  }
  if (option === "AUTO_ONLY" && addresses > 0) {
    const message = "Invalid value for field 'resource.nats[0].natIps'. natIps must be empty for AUTO_ONLY.";
    return [{ code: "invalid", message, path: ["nat_ips"] }];
  }
  const ports = planned["min_ports_per_vm"];
  const isPower = typeof ports !== "number" || Number.isInteger(Math.log2(ports));
  if (planned["enable_dynamic_port_allocation"] === true && !isPower) {
    const message = `Invalid value for field 'resource.nats[0].minPortsPerVm': '${String(ports)}'. Must be a power of two.`;
    return [{ code: "invalid", message, path: ["min_ports_per_vm"] }];
  }
  const log = mapOf(isList(planned["log_config"]) ? planned["log_config"][0] : undefined);
  const filters = ["", "ERRORS_ONLY", "TRANSLATIONS_ONLY", "ALL"];
  if (filters.includes(textOf(log["filter"]))) return [];
  return [{ code: "invalid", message: `Invalid value for field 'resource.nats[0].logConfig.filter'.`, path: ["log_config"] }];
}

/** The Cloud Router and Cloud NAT resource types. */
export const nats: GcpResources = { google_compute_router: router, google_compute_router_nat: nat };
