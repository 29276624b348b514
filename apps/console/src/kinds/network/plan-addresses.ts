import { overlaps, parseRange, renderRange, subrangeOf, type Ipv4Range } from "@cloudwright/contract/cidr";
import type { NetworkFacts } from "@cloudwright/contract/clouds";

export type SubnetRole = "public" | "private" | "intra";

/** A subnet that the platform will create. */
export interface PlannedSubnet {
  readonly role: SubnetRole;
  readonly zone: string;
  readonly cidr: string;
  /** The start and end (exclusive), in units of 1/32 of the network. */
  readonly from: number;
  readonly to: number;
  readonly addresses: number;
}

/** The subnets of a network, or the reason why it cannot be divided. */
export type AddressPlan = { readonly subnets: readonly PlannedSubnet[]; readonly free: number } | { readonly problem: string };

const places = 8;

/**
 * Computes the same subnets as the platform. The upper half is for workers, the lower half for load balancers and control planes. A
 * zone's slot depends only on its letter, so adding a zone does not move the others.
 */
export function planAddresses(cidr: string, zones: readonly string[], { reservedAddresses }: NetworkFacts): AddressPlan {
  const whole = parseRange(cidr);
  if (whole === undefined) return { problem: "Enter a range such as 10.0.0.0/16. The bits after the prefix must be 0." };
  if (whole.prefix < 8) return { problem: "The prefix length must be at least 8." };
  if (whole.prefix > 23) return { problem: "Too small to divide into subnets. Use a prefix length of at most 23." };
  const letters = zones.map((zone) => zone.charCodeAt(zone.length - 1) - 97);
  const stranger = letters.findIndex((letter) => letter < 0 || letter >= places);
  if (stranger !== -1) return { problem: `The zone "${zones[stranger] ?? ""}" is not supported.` };
  const divide = (role: SubnetRole, zone: string, bits: number, index: number): PlannedSubnet =>
    cut(whole, { role, zone }, bits, index, reservedAddresses);
  const subnets = zones.flatMap((zone, index): PlannedSubnet[] => {
    const letter = letters[index] ?? 0;
    return [
      divide("public", zone, 5, letter),
      divide("intra", zone, 5, places + letter),
      divide("private", zone, 4, places + letter),
    ];
  });
  const taken = subnets.reduce((sum, { from, to }) => sum + to - from, 0);
  return { subnets, free: (32 - taken) / 32 };
}

/** Returns the networks whose address range overlaps with `cidr`. */
export function findOverlaps(cidr: string, others: readonly { readonly name: string; readonly cidr: string }[]): string[] {
  const own = parseRange(cidr);
  if (own === undefined) return [];
  return others
    .filter((other) => {
      const range = parseRange(other.cidr);
      return range !== undefined && overlaps(own, range);
    })
    .map(({ name }) => name);
}

/** Returns the first free range in 10.0.0.0/8 with the given prefix length. */
export function suggestRange(taken: readonly string[], prefix = 16): string {
  const ranges = taken.map(parseRange).filter((range) => range !== undefined);
  const whole = parseRange("10.0.0.0/8");
  if (whole === undefined) throw new Error("10.0.0.0/8 cannot be parsed");
  const extraBits = prefix - whole.prefix;
  for (let index = 0; index < 2 ** extraBits; index += 1) {
    const candidate = subrangeOf(whole, extraBits, index);
    if (!ranges.some((range) => overlaps(range, candidate))) return renderRange(candidate);
  }
  return `10.0.0.0/${prefix}`;
}

function cut(
  whole: Ipv4Range,
  subnet: Pick<PlannedSubnet, "role" | "zone">,
  bits: number,
  index: number,
  reserved: number,
): PlannedSubnet {
  const size = 2 ** (32 - whole.prefix - bits);
  const part = 32 / 2 ** bits;
  return {
    ...subnet,
    cidr: renderRange(subrangeOf(whole, bits, index)),
    from: index * part,
    to: (index + 1) * part,
    addresses: Math.max(0, size - reserved),
  };
}
