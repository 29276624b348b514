import { containsRange, overlaps, parseAnyRange, type AddressRange } from "@cloudwright/platform";

/** Returns whether a range contains another range or a single address. IPv4 and IPv6 ranges never contain each other. */
export function cidrContains(outer: string, inner: string): boolean {
  return containsRange(parse(outer), parse(inner));
}

export function cidrOverlaps(left: string, right: string): boolean {
  return overlaps(parse(left), parse(right));
}

function parse(text: string): AddressRange {
  const range = parseAnyRange(text);
  if (range === undefined) throw new Error(`"${text.slice(0, 60)}" is not an address range such as 10.0.0.0/16`);
  return range;
}
