/** A CIDR block of IP addresses. */
export interface AddressRange {
  /** 32 for IPv4, 128 for IPv6. */
  readonly bits: 32 | 128;
  readonly prefix: number;
  readonly first: bigint;
  readonly last: bigint;
}

export interface Ipv4Range extends AddressRange {
  readonly bits: 32;
}

/** Parses an IPv4 range such as `10.0.0.0/16`. Returns undefined for any other input, including ranges with host bits set. */
export function parseRange(text: string): Ipv4Range | undefined {
  const [address = "", prefix = "", ...rest] = text.split("/");
  const number = numberOfIpv4(address);
  if (number === undefined || !/^\d{1,2}$/.test(prefix) || Number(prefix) > 32 || rest.length > 0) return undefined;
  const range = rangeAt(32, Number(prefix), number) as Ipv4Range;
  return range.first === number ? range : undefined;
}

/**
 * Parses an IPv4 or IPv6 range, or a single address. Host bits are ignored, as in every cloud: 10.0.0.1/8 means 10.0.0.0/8. Returns
 * undefined for any other input.
 */
export function parseAnyRange(text: string): AddressRange | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = address.includes(":") ? 128 : 32;
  const number = bits === 32 ? numberOfIpv4(address) : numberOfIpv6(address);
  if (number === undefined || rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return undefined;
  const length = prefix === undefined ? bits : Number(prefix);
  return length > bits ? undefined : rangeAt(bits, length, number);
}

/** Returns whether `outer` contains every address of `inner`. An IPv4 range never contains an IPv6 range, and vice versa. */
export function containsRange(outer: AddressRange, inner: AddressRange): boolean {
  return outer.bits === inner.bits && outer.first <= inner.first && inner.last <= outer.last;
}

export function overlaps(a: AddressRange, b: AddressRange): boolean {
  return a.bits === b.bits && a.first <= b.last && b.first <= a.last;
}

/** Splits a range into 2^extraBits equal parts and returns the part at the given index. */
export function subrangeOf({ first, prefix }: Ipv4Range, extraBits: number, index: number): Ipv4Range {
  const length = prefix + extraBits;
  return rangeAt(32, length, first + BigInt(index) * sizeOf(32, length)) as Ipv4Range;
}

export function renderRange(range: Ipv4Range): string {
  return `${renderAddress(range)}/${range.prefix}`;
}

/** Renders the address at the given offset in a range. In `10.0.0.0/16`, offset 4 is `10.0.0.4`. */
export function renderAddress({ first }: Ipv4Range, offset = 0): string {
  const address = first + BigInt(offset);
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join(".");
}

function rangeAt(bits: 32 | 128, prefix: number, address: bigint): AddressRange {
  const size = sizeOf(bits, prefix);
  const first = address - (address % size);
  return { bits, prefix, first, last: first + size - 1n };
}

function sizeOf(bits: number, prefix: number): bigint {
  return 1n << BigInt(bits - prefix);
}

function numberOfIpv4(address: string): bigint | undefined {
  const octets = address.split(".");
  if (octets.length !== 4 || !octets.every((octet) => /^(0|[1-9]\d{0,2})$/.test(octet) && Number(octet) < 256)) return undefined;
  return octets.reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
}

function numberOfIpv6(address: string): bigint | undefined {
  const lastPart = address.slice(address.lastIndexOf(":") + 1);
  const dotted = lastPart.includes(".") ? lastPart : undefined;
  const low = dotted === undefined ? undefined : numberOfIpv4(dotted);
  if (dotted !== undefined && low === undefined) return undefined;
  const hex = low?.toString(16).padStart(8, "0") ?? "";
  const whole = dotted === undefined ? address : `${address.slice(0, -dotted.length)}${hex.slice(0, 4)}:${hex.slice(4)}`;
  const [left = [], right, ...more] = whole.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const given = left.length + (right?.length ?? 0);
  // "::" replaces at least one group of zeros.
  if (more.length > 0 || (right === undefined ? given !== 8 : given > 7)) return undefined;
  const groups = [...left, ...Array.from({ length: 8 - given }, () => "0"), ...(right ?? [])];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
