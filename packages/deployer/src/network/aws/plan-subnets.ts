import { Fault, parseRange as findRange, renderRange, subrangeOf, type Ipv4Range } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";

/** The address ranges of a zone's subnets. A key is absent if the zone has no such subnet. */
export type ZoneRanges = { public?: string; private?: string; intra?: string };

const slots = 8;

/**
 * Divides an address range into subnets. The upper half is for workers, the lower half for load balancers and control planes. A zone's
 * subnets depend only on the zone's letter, so adding a zone does not move existing subnets.
 */
export function planSubnets(cidr: string, zones: readonly string[]): Record<string, ZoneRanges> {
  const whole = parseRange(cidr);
  // The smallest subnets have a prefix 5 bits longer than the network's. AWS does not allow subnets smaller than /28.
  if (whole.prefix + 5 > 28) {
    throw new Fault(
      deployerFaults.bad_spec,
      `${cidr} is too small for subnets; use a prefix length of at most 23, or set spec.subnets`,
    );
  }
  const taken = new Set<number>();
  return Object.fromEntries(
    zones.map((zone) => {
      const place = zone.charCodeAt(zone.length - 1) - "a".charCodeAt(0);
      if (place < 0 || place >= slots || taken.has(place)) {
        throw new Fault(deployerFaults.bad_spec, `the zone "${zone}" has no default subnets in ${cidr}; set spec.subnets`);
      }
      taken.add(place);
      return [zone, { public: cut(whole, 5, place), private: cut(whole, 4, slots + place), intra: cut(whole, 5, slots + place) }];
    }),
  );
}

/** Parses an IPv4 range such as `10.0.0.0/16`. Throws a fault if the text is invalid or a host bit is set. */
export function parseRange(cidr: string): Ipv4Range {
  const range = findRange(cidr);
  if (range === undefined)
    throw new Fault(deployerFaults.bad_spec, `"${cidr}" is not a valid address range; use one such as 10.0.0.0/16`);
  return range;
}

function cut(whole: Ipv4Range, bits: number, index: number): string {
  return renderRange(subrangeOf(whole, bits, index));
}
