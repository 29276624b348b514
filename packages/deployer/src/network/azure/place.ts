import { findZones, getCloud } from "@cloudwright/contract/clouds";
import { containsRange, Fault, overlaps, parseRange, renderRange, subrangeOf, type Ipv4Range } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity } from "../../task.ts";
import { azureOf } from "./azure-of.ts";

type Network = DeployedEntity<"Network">;

/** The region of a network, the numbers of its zones, and the address ranges of its subnets. */
export interface NetworkPlace {
  readonly region: string;
  /** Zones of the network. Empty if the region has no zones. */
  readonly zones: readonly string[];
  readonly cidr: string;
  /** Ranges, keyed by role. A key is absent if the network has no such subnet. */
  readonly ranges: Readonly<Partial<Record<SubnetRole, string>>>;
}

export type SubnetRole = "nodes" | "pods" | "api-server";

const defaultRange = "10.0.0.0/16";

/** Returns the network's region. Throws if the region's name is invalid. */
export function getRegion({ name, spec }: Network): string {
  const { region } = spec;
  if (getCloud("azure").regions.isName(region)) return region;
  throw new Fault(deployerFaults.bad_spec, `spec.region of ${name} is "${region}"; use a region such as westeurope`);
}

/** Returns where a new network is to be built. Throws if its ranges or zones cannot be used in Azure. */
export function findPlace(entity: Network): NetworkPlace {
  const region = getRegion(entity);
  const cidr = entity.spec.cidr || defaultRange;
  const whole = getRange(entity, "spec.cidr", cidr);
  const taken = getCloud("azure").network.reservedRanges.find((range) => overlaps(getRange(entity, "spec.cidr", range), whole));
  if (taken !== undefined)
    throw bad(entity, "spec.cidr", `${cidr}, which overlaps with ${taken}; Azure or AKS reserves this range`);
  return { region, zones: listZones(entity, region), cidr, ranges: findRanges(entity, whole) };
}

function listZones(entity: Network, region: string): readonly string[] {
  const { renderZone, defaultZones } = getCloud("azure").regions;
  const known = findZones("azure", region);
  const given = entity.spec.zones.map((zone) => renderZone(region, zone));
  const stranger = given.find((zone) => !(known?.includes(zone) ?? new RegExp(`^${region}-[1-9]$`).test(zone)));
  if (stranger !== undefined) {
    const offered = known === undefined || known.length === 0 ? "it has no zones" : `its zones are ${known.join(", ")}`;
    throw new Fault(
      deployerFaults.bad_spec,
      `the zone "${stranger}" in spec.zones of ${entity.name} is not in ${region}; ${offered}`,
    );
  }
  const zones = given.length > 0 ? given : (known ?? defaultZones.map((zone) => renderZone(region, zone)));
  return zones.map((zone) => zone.slice(region.length + 1)).toSorted();
}

function findRanges(entity: Network, whole: Ipv4Range): NetworkPlace["ranges"] {
  const { spec } = entity;
  const azure = azureOf(spec);
  const { public: open = [], private: nodes = [], intra = [] } = spec.subnets ?? {};
  if (open.length > 0)
    throw bad(entity, "spec.subnets.public", "set, but load balancers in Azure do not need a subnet; remove the ranges");
  for (const [field, ranges] of [
    ["private", nodes],
    ["intra", intra],
  ] as const) {
    if (ranges.length > 1)
      throw bad(
        entity,
        `spec.subnets.${field}`,
        `a list of ${ranges.length} ranges; a subnet in Azure spans all zones, so give one range`,
      );
  }
  const hasApiServer = azure.apiServerSubnet || intra.length > 0;
  const hasPods = azure.podSubnet || azure.podSubnetCidr !== "";
  const wanted: readonly (readonly [SubnetRole, boolean, string, string | undefined, bits: number, index: number])[] = [
    ["nodes", true, "spec.subnets.private[0]", nodes[0], 2, 0],
    ["pods", hasPods, "spec.azure.podSubnetCidr", azure.podSubnetCidr || undefined, 1, 1],
    ["api-server", hasApiServer, "spec.subnets.intra[0]", intra[0], 4, 4],
  ];
  const found: [SubnetRole, Ipv4Range][] = [];
  for (const [role, isWanted, field, given, bits, index] of wanted) {
    if (!isWanted) continue;
    const range = given === undefined ? computeRange(entity, whole, bits, index) : getRange(entity, field, given);
    const smallest = role === "api-server" ? 28 : 29;
    if (!containsRange(whole, range) || range.prefix > smallest)
      throw bad(
        entity,
        field,
        `${renderRange(range)}; use a range within ${renderRange(whole)} with a prefix length of at most ${smallest}`,
      );
    const other = found.find(([, earlier]) => overlaps(earlier, range));
    if (other !== undefined)
      throw bad(
        entity,
        field,
        `${renderRange(range)}, which overlaps with the range of the ${other[0]} subnet, ${renderRange(other[1])}`,
      );
    found.push([role, range]);
  }
  return Object.fromEntries(found.map(([role, range]) => [role, renderRange(range)]));
}

function computeRange(entity: Network, whole: Ipv4Range, bits: number, index: number): Ipv4Range {
  if (whole.prefix <= 24) return subrangeOf(whole, bits, index);
  throw bad(
    entity,
    "spec.cidr",
    `${renderRange(whole)}, which is too small for subnets; use a prefix length of at most 24, or set spec.subnets`,
  );
}

function getRange(entity: Network, field: string, text: string): Ipv4Range {
  const range = parseRange(text);
  if (range === undefined) throw bad(entity, field, `"${text}", which is not a valid address range; use one such as 10.0.0.0/16`);
  return range;
}

function bad({ name }: Network, field: string, what: string): Fault {
  return new Fault(deployerFaults.bad_spec, `${field} of ${name} is ${what}`);
}
