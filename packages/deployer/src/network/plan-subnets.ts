import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";

/** The ranges of one zone's subnets; a role without a range has none. */
export type ZoneRanges = { public?: string; private?: string; intra?: string };

interface Range {
  readonly base: number;
  readonly prefix: number;
}

const slots = 8;

/**
 * Cuts a range: the upper half for workers, the lower one for load balancers and control planes. A zone's place depends on its letter alone, so that
 * adding one moves no other.
 */
export function planSubnets(cidr: string, zones: readonly string[]): Record<string, ZoneRanges> {
  const whole = parseRange(cidr);
  // The smallest subnet of AWS has 16 addresses.
  if (whole.prefix + 5 > 28) {
    throw new Fault(
      deployerFaults.bad_spec,
      `${cidr} is too small to be cut into subnets: use a prefix of at most 23, or name the subnets`,
    );
  }
  const taken = new Set<number>();
  return Object.fromEntries(
    zones.map((zone) => {
      const place = zone.charCodeAt(zone.length - 1) - "a".charCodeAt(0);
      if (place < 0 || place >= slots || taken.has(place)) {
        throw new Fault(deployerFaults.bad_spec, `the zone "${zone}" has no place of its own in ${cidr}: name the subnets`);
      }
      taken.add(place);
      return [zone, { public: cut(whole, 5, place), private: cut(whole, 4, slots + place), intra: cut(whole, 5, slots + place) }];
    }),
  );
}

/** Reads `10.0.0.0/16`; bits behind the prefix must be 0. */
export function parseRange(cidr: string): Range {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  const parts = match?.slice(1, 5).map(Number) ?? [];
  const prefix = Number(match?.[5]);
  const base = parts.reduce((sum, part) => sum * 256 + part, 0);
  if (match === null || parts.some((part) => part > 255) || prefix > 32 || base % 2 ** (32 - prefix) !== 0) {
    throw new Fault(deployerFaults.bad_spec, `"${cidr}" is not a range of addresses`);
  }
  return { base, prefix };
}

function cut({ base, prefix }: Range, bits: number, index: number): string {
  const start = base + index * 2 ** (32 - prefix - bits);
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256);
  return `${parts.join(".")}/${prefix + bits}`;
}
