import { overlaps, parseRange, renderRange, subrangeOf } from "@cloudwright/contract/cidr";

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
