import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { DeployedEntity } from "../../task.ts";
import { parseRange, planSubnets, type ZoneRanges } from "./plan-subnets.ts";

const defaultRange = "10.0.0.0/16";
const roles = ["public", "private", "intra"] as const;

/** Where a network in AWS lies. */
export interface NetworkPlace {
  readonly cidr: string;
  /** The ranges of each zone's subnets, in the order of the zones. */
  readonly zones: Readonly<Record<string, ZoneRanges>>;
}

/** The region that a network asks for. */
export function getRegion({ name, spec }: DeployedEntity): string {
  const region = textOf(spec["region"]);
  if (/^[a-z]{2}(-[a-z]+)+-\d+$/.test(region)) return region;
  throw new Fault(deployerFaults.bad_spec, `spec.region of ${name} is "${region}", not one such as eu-west-1`);
}

/** The range and the subnets that a network asks for, or those that it gets where it does not say. */
export function findPlace(entity: DeployedEntity, region: string): NetworkPlace {
  const cidr = textOf(entity.spec["cidr"]) || defaultRange;
  const { prefix } = parseRange(cidr);
  if (prefix < 16 || prefix > 28) {
    throw new Fault(deployerFaults.bad_spec, `spec.cidr of ${entity.name} is ${cidr}; AWS takes prefixes of 16 to 28`);
  }
  return { cidr, zones: findZones(entity, region, cidr) };
}

function findZones({ name, spec }: DeployedEntity, region: string, cidr: string): Record<string, ZoneRanges> {
  const asked = textsOf(spec["zones"]).map((zone) => (/^[a-z]$/.test(zone) ? region + zone : zone));
  const zones = asked.length > 0 ? asked : ["a", "b", "c"].map((letter) => region + letter);
  const stranger = zones.find((zone) => !zone.startsWith(region));
  if (stranger !== undefined) {
    throw new Fault(deployerFaults.bad_spec, `the zone "${stranger}" in spec.zones of ${name} is not in ${region}`);
  }
  const subnets = objectOf(spec["subnets"]);
  const given = roles.filter((role) => textsOf(subnets[role]).length > 0);
  if (given.length === 0) return planSubnets(cidr, zones);
  const tooMany = given.find((role) => textsOf(subnets[role]).length > zones.length);
  if (tooMany !== undefined) {
    throw new Fault(
      deployerFaults.bad_spec,
      `spec.subnets.${tooMany} of ${name} has more subnets than its ${zones.length} zones`,
    );
  }
  return Object.fromEntries(
    zones.map((zone, index) => {
      const ranges = given.flatMap((role) => {
        const range = textsOf(subnets[role])[index];
        return range === undefined ? [] : [[role, range] as const];
      });
      return [zone, Object.fromEntries(ranges)];
    }),
  );
}
