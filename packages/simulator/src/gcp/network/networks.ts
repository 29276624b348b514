import { getCloud } from "@cloudwright/contract/clouds";
import { overlaps, parseRange, renderAddress, containsRange, type Ipv4Range } from "@cloudwright/platform";
import { findOverlapping } from "../../cloud/reserved-ranges.ts";
import type { HookContext } from "../../provider/definition.ts";
import { textOf, textsAt } from "../../values/read-value.ts";
import { isList, isMap, type ValueMap } from "../../values/value.ts";
import { hash, numericId, placeOf } from "../place.ts";
import { refuseQuota, type Refusal } from "../refusal.ts";
import { idIn, inNetwork, paths, type GcpChange, type GcpResource, type GcpResources } from "../resource.ts";

const network: GcpResource = {
  noun: "Network",
  path: paths.network,
  forceNew: ["auto_create_subnetworks", "description", "internal_ipv6_range", "network_profile", "params"],
  defaults: {
    auto_create_subnetworks: true,
    delete_default_routes_on_create: false,
    delete_bgp_always_compare_med: false,
    network_firewall_policy_enforcement_order: "AFTER_CLASSIC_FIREWALL",
  },
  limits: [{ quota: "networks-per-project", within: "", refusal: (limit) => refuseQuota("NETWORKS", limit, "globally") }],
  takes: { create: 20, update: 10, delete: 20 },
  check: ({ planned }) => {
    const { mtu } = planned;
    if (typeof mtu !== "number" || (mtu >= 1300 && mtu <= 8896)) return [];
    const message = `Invalid value for field 'resource.mtu': '${mtu}'. Must be greater than or equal to 1300`;
    return [{ code: "invalid", message, path: ["mtu"] }];
  },
  compute: ({ id }) => ({
    gateway_ipv4: "",
    internal_ipv6_range: "",
    mtu: 1460,
    routing_mode: "REGIONAL",
    bgp_best_path_selection_mode: "LEGACY",
    bgp_always_compare_med: false,
    bgp_inter_region_cost: "",
    network_id: numericId(id),
    numeric_id: numericId(id),
  }),
};

const subnetwork: GcpResource = {
  noun: "Subnetwork",
  path: paths.subnetwork,
  forceNew: ["network", "description", "purpose", "ip_collection", "reserved_internal_range", "params"],
  defaults: {
    send_secondary_ip_range_if_empty: false,
    "log_config.aggregation_interval": "INTERVAL_5_SEC",
    "log_config.filter_expr": "true",
    "log_config.metadata": "INCLUDE_ALL_METADATA",
    "log_config.flow_sampling": "0.5",
  },
  recompute: { fingerprint: "*", gateway_address: ["ip_cidr_range"] },
  names: [inNetwork()],
  limits: [{ quota: "subnets-per-project", within: "", refusal: (limit) => refuseQuota("SUBNETWORKS", limit, "globally") }],
  takes: { create: 20, update: 15, delete: 15 },
  // A subnet's range can be expanded in place. Any other change to the range replaces the subnet.
  listReplacements: (prior, planned) => {
    const [before, after] = [prior, planned].map((values) => parseRange(textOf(values["ip_cidr_range"])));
    return before === undefined || after === undefined || containsRange(after, before) ? [] : ["ip_cidr_range"];
  },
  check: (change, context) => (change.operation === "delete" ? [] : checkRanges(change, context)),
  compute: ({ id, planned }, context) => {
    const range = parseRange(textOf(planned["ip_cidr_range"]));
    return {
      gateway_address: range === undefined ? "" : renderAddress(range, 1),
      fingerprint: Buffer.from(hash(`${id} ${context.nowMs}`).slice(0, 8)).toString("base64"),
      private_ip_google_access: false,
      private_ipv6_google_access: "DISABLE_GOOGLE_ACCESS",
      allow_subnet_cidr_routes_overlap: false,
      purpose: "PRIVATE",
      stack_type: "IPV4_ONLY",
      state: "READY",
      subnetwork_id: Number(numericId(id).slice(0, 15)),
      external_ipv6_prefix: "",
      internal_ipv6_prefix: "",
      ipv6_cidr_range: "",
      ipv6_gce_endpoint: "",
    };
  },
};

interface NamedRange {
  readonly name: string;
  readonly text: string;
  readonly path: readonly (string | number)[];
}

function listRanges(attributes: ValueMap): readonly NamedRange[] {
  const secondary = attributes["secondary_ip_range"];
  const more = (isList(secondary) ? secondary : []).flatMap((range, index) =>
    isMap(range)
      ? [{ name: textOf(range["range_name"]), text: textOf(range["ip_cidr_range"]), path: ["secondary_ip_range", index] }]
      : [],
  );
  return [{ name: "", text: textOf(attributes["ip_cidr_range"]), path: ["ip_cidr_range"] }, ...more];
}

async function checkRanges({ id, planned, place }: GcpChange, context: HookContext): Promise<readonly Refusal[]> {
  const home = (
    await context.find({ type: "google_compute_network", id: idIn(paths.network)(textOf(planned["network"]), place) })
  )?.attributes;
  if (home?.["auto_create_subnetworks"] === true) {
    const message = `Invalid resource usage: 'Cannot create a subnetwork in an auto subnet mode network'.`;
    return [{ code: "invalidResourceUsage", message, path: ["network"] }];
  }
  const taken = await listTaken(id, planned, context);
  const own = listRanges(planned);
  for (const { name, text, path } of own) {
    const range = parseRange(text);
    if (range === undefined || range.prefix > 29 || range.prefix < 4) {
      const message = `Invalid value for field 'resource.ipCidrRange': '${text}'. Invalid IPCidrRange: ${text}`;
      return [{ code: "invalid", message, path }];
    }
    const reserved = findOverlapping(range, getCloud("gcp").network.reservedRanges);
    if (reserved !== undefined) {
      const field = name === "" ? "ipCidrRange" : `secondaryIpRanges[${path[1] ?? 0}].ipCidrRange`;
      const message = `Invalid value for field 'resource.${field}': '${text}'. Invalid IPCidrRange: ${text} overlaps the prohibited range ${reserved}`;
      return [{ code: "invalid", message, path }];
    }
    const names = own.filter((other) => other.name === name);
    if (names.length > 1) return [{ code: "invalid", message: `Duplicate secondary range name: ${name}`, path }];
    const twin = [...taken, ...own.filter((other) => other.path !== path).map((other) => ({ id, text: other.text }))].find(
      (other) => isOverlapping(range, other.text),
    );
    if (twin === undefined) continue;
    const other = twin.id.split("/").at(-1) ?? "";
    const message = `Invalid IPCidrRange: ${text} conflicts with existing subnetwork '${other}' in region '${twin.id.split("/")[3] ?? ""}'`;
    return [{ code: "invalidResourceUsage", message, path }];
  }
  return [];
}

async function listTaken(
  id: string,
  planned: ValueMap,
  context: HookContext,
): Promise<readonly { readonly id: string; readonly text: string }[]> {
  const networkOf = (attributes: ValueMap): string =>
    idIn(paths.network)(textOf(attributes["network"]), placeOf(context, attributes));
  const peers = (await context.list("google_compute_subnetwork")).filter(
    (record) => record.id !== id && networkOf(record.attributes) === networkOf(planned),
  );
  return peers.flatMap((record) => listRanges(record.attributes).map(({ text }) => ({ id: record.id, text })));
}

function isOverlapping(range: Ipv4Range, text: string): boolean {
  const other = parseRange(text);
  return other !== undefined && overlaps(range, other);
}

const firewall: GcpResource = {
  noun: "Firewall",
  path: "projects/{project}/global/firewalls/{name}",
  forceNew: ["network", "direction", "params"],
  defaults: { priority: 1000, disabled: false },
  names: [inNetwork()],
  limits: [{ quota: "firewalls-per-project", within: "", refusal: (limit) => refuseQuota("FIREWALLS", limit, "globally") }],
  takes: { create: 10, update: 10, delete: 10 },
  check: ({ operation, planned }) => (operation === "delete" ? [] : checkRule(planned)),
  compute: ({ planned }) => ({
    direction: "INGRESS",
    enable_logging: false,
    destination_ranges: planned["direction"] === "EGRESS" ? ["0.0.0.0/0"] : [],
  }),
};

function checkRule(planned: ValueMap): readonly Refusal[] {
  const count = (name: string): number => (isList(planned[name]) ? planned[name].length : 0);
  if (count("allow") + count("deny") === 0 || (count("allow") > 0 && count("deny") > 0)) {
    return [{ code: "invalid", message: "Firewall should specify either allow rules or deny rules, but not both." }];
  }
  const wrong = [...textsAt(planned, "source_ranges"), ...textsAt(planned, "destination_ranges")].find(
    (text) => !text.includes(":") && parseRange(text.includes("/") ? text : `${text}/32`) === undefined,
  );
  if (wrong !== undefined) {
    const message = `Invalid value for field 'resource.sourceRanges[0]': '${wrong}'. Must be a valid CIDR range`;
    return [{ code: "invalid", message, path: ["source_ranges"] }];
  }
  const priority = planned["priority"];
  if (typeof priority !== "number" || (priority >= 0 && priority <= 65_535)) return [];
  return [{ code: "invalid", message: `Invalid value for field 'resource.priority': '${priority}'.`, path: ["priority"] }];
}

/** The VPC network, subnet and firewall rule resource types. */
export const networks: GcpResources = {
  google_compute_network: network,
  google_compute_subnetwork: subnetwork,
  google_compute_firewall: firewall,
};
