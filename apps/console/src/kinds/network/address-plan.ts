import { overlaps, parseRange, renderRange, type Ipv4Range } from "@cloudwright/contract/cidr";
import type { Tone } from "../../design/phase.ts";

/** The purpose of an address range, such as nodes. Shown in the legend. */
export interface AddressUse {
  readonly role: string;
  /** Text in the legend, such as "private: workers". */
  readonly text: string;
  readonly tone: Tone;
}

/** An address range that the platform will use in a new network. */
export interface PlannedRange {
  readonly role: string;
  /** The zone of the subnet. Empty if the range is not limited to one zone. */
  readonly zone: string;
  readonly cidr: string;
  /**
   * Position in the network, in units of 1/32 of its size. `to` is exclusive. `from` and `to` are 0 if the range is outside the network.
   */
  readonly from: number;
  readonly to: number;
  readonly addresses: number;
}

/** The planned ranges of a network, or the reason why its address range cannot be divided. */
export type AddressPlan =
  | { readonly uses: readonly AddressUse[]; readonly ranges: readonly PlannedRange[]; readonly free: number }
  | { readonly problem: string };

/** Number of cells in the diagram of a network's addresses. */
export const cellCount = 32;

/**
 * Parses and checks the address range of a network. Returns a problem if it is invalid, too large or too small. `longest` is the longest
 * allowed prefix.
 */
export function parseWhole(cidr: string, longest: number): Ipv4Range | { readonly problem: string } {
  const whole = parseRange(cidr);
  if (whole === undefined) return { problem: "Enter a range such as 10.0.0.0/16. The bits after the prefix must be 0." };
  if (whole.prefix < 8) return { problem: "The prefix length must be at least 8." };
  if (whole.prefix > longest) return { problem: `Too small to divide into subnets. Use a prefix length of at most ${longest}.` };
  return whole;
}

/**
 * Computes the position of a range in the diagram of its network. `reserved` is the number of addresses in the range that the cloud
 * reserves.
 */
export function placeRange(
  whole: Ipv4Range,
  range: Ipv4Range,
  own: Pick<PlannedRange, "role" | "zone">,
  reserved: number,
): PlannedRange {
  const size = 2 ** (32 - range.prefix);
  const cell = 2 ** (32 - whole.prefix) / cellCount;
  const from = overlaps(whole, range) ? Math.floor(Number(range.first - whole.first) / cell) : 0;
  return {
    ...own,
    cidr: renderRange(range),
    from,
    to: overlaps(whole, range) ? Math.max(from + 1, from + size / cell) : 0,
    addresses: Math.max(0, size - reserved),
  };
}

/** Returns the fraction of the network, from 0 to 1, that no range uses. */
export function shareOfFree(ranges: readonly PlannedRange[]): number {
  return Math.max(0, (cellCount - ranges.reduce((sum, { from, to }) => sum + to - from, 0)) / cellCount);
}
