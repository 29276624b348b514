/** A range of IPv4 addresses. */
export interface Cidr {
  readonly base: number;
  readonly prefix: number;
}

/** Reads `10.0.0.0/16`; undefined when it is not a range. */
export function parseCidr(text: string): Cidr | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  const parts = match?.slice(1, 5).map(Number) ?? [];
  const prefix = Number(match?.[5]);
  const base = parts.reduce((sum, part) => sum * 256 + part, 0);
  const isRange = match !== null && parts.every((part) => part <= 255) && prefix <= 32 && base % 2 ** (32 - prefix) === 0;
  return isRange ? { base, prefix } : undefined;
}

/** Whether one range lies in another. */
export function isWithin(inner: Cidr, outer: Cidr): boolean {
  return inner.base >= outer.base && endOf(inner) <= endOf(outer);
}

/** Whether two ranges share an address. */
export function isOverlapping(one: Cidr, other: Cidr): boolean {
  return one.base < endOf(other) && other.base < endOf(one);
}

/** The address so many behind the first one of a range. */
export function addressIn({ base }: Pick<Cidr, "base">, offset: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor((base + offset) / 2 ** shift) % 256).join(".");
}

function endOf({ base, prefix }: Cidr): number {
  return base + 2 ** (32 - prefix);
}
