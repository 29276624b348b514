import { overlaps, parseRange, type Ipv4Range } from "@cloudwright/platform";

/** Returns the first of the reserved ranges that overlaps `range`, or undefined if none does. */
export function findOverlapping(range: Ipv4Range | undefined, reserved: readonly string[]): string | undefined {
  return reserved.find((text) => {
    const other = parseRange(text);
    return range !== undefined && other !== undefined && overlaps(range, other);
  });
}
