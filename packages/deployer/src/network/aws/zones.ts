import { getCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity } from "../../task.ts";
import { parseRange, planSubnets, type ZoneRanges } from "./plan-subnets.ts";

const defaultRange = "10.0.0.0/16";
const roles = ["public", "private", "intra"] as const;

/** The address ranges of a network and its subnets. */
export interface NetworkPlace {
  readonly cidr: string;
  /** Subnet ranges, keyed by zone, in the order of `spec.zones` or of the default zones. */
  readonly zones: Readonly<Record<string, ZoneRanges>>;
}

/** Returns the network's region. Throws if the region's name is invalid. */
export function getRegion({ name, spec }: DeployedEntity<"Network">): string {
  const { region } = spec;
  if (getCloud("aws").regions.isName(region)) return region;
  throw new Fault(deployerFaults.bad_spec, `spec.region of ${name} is "${region}"; use a region such as eu-west-1`);
}

/** Returns the address ranges from the spec, or computed ones if the spec has none. */
export function findPlace(entity: DeployedEntity<"Network">, region: string): NetworkPlace {
  const cidr = entity.spec.cidr || defaultRange;
  const { prefix } = parseRange(cidr);
  if (prefix < 16 || prefix > 28) {
    throw new Fault(deployerFaults.bad_spec, `spec.cidr of ${entity.name} is ${cidr}; AWS supports prefix lengths from 16 to 28`);
  }
  return { cidr, zones: findZones(entity, region, cidr) };
}

function findZones({ name, spec }: DeployedEntity<"Network">, region: string, cidr: string): Record<string, ZoneRanges> {
  const { defaultZones, renderZone } = getCloud("aws").regions;
  const zones = (spec.zones.length > 0 ? spec.zones : defaultZones).map((zone) => renderZone(region, zone));
  const stranger = zones.find((zone) => !zone.startsWith(region));
  if (stranger !== undefined) {
    throw new Fault(deployerFaults.bad_spec, `the zone "${stranger}" in spec.zones of ${name} is not in ${region}`);
  }
  const rangesOf = (role: (typeof roles)[number]): readonly string[] => spec.subnets?.[role] ?? [];
  const given = roles.filter((role) => rangesOf(role).length > 0);
  if (given.length === 0) return planSubnets(cidr, zones);
  const tooMany = given.find((role) => rangesOf(role).length > zones.length);
  if (tooMany !== undefined) {
    throw new Fault(
      deployerFaults.bad_spec,
      `spec.subnets.${tooMany} of ${name} has more subnets than the network has zones (${zones.length})`,
    );
  }
  return Object.fromEntries(
    zones.map((zone, index) => {
      const ranges = given.flatMap((role) => {
        const range = rangesOf(role)[index];
        return range === undefined ? [] : [[role, range] as const];
      });
      return [zone, Object.fromEntries(ranges)];
    }),
  );
}
