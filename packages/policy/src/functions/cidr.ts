import { isIPv4, isIPv6 } from "node:net";

interface Range {
  readonly bits: 32 | 128;
  readonly first: bigint;
  readonly last: bigint;
}

/** Whether a range of addresses holds another, or one address; IPv4 and IPv6 are never in each other. */
export function cidrContains(outer: string, inner: string): boolean {
  const [a, b] = [parseCidr(outer), parseCidr(inner)];
  return a.bits === b.bits && a.first <= b.first && b.last <= a.last;
}

/** Whether two ranges of addresses have an address in common. */
export function cidrOverlaps(left: string, right: string): boolean {
  const [a, b] = [parseCidr(left), parseCidr(right)];
  return a.bits === b.bits && a.first <= b.last && b.first <= a.last;
}

// Host bits are ignored, as every cloud does: 10.0.0.1/8 is 10.0.0.0/8.
function parseCidr(text: string): Range {
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = isIPv4(address) ? 32 : isIPv6(address) && !address.includes("%") ? 128 : undefined;
  const isPrefix = prefix === undefined || /^\d{1,3}$/.test(prefix);
  const length = prefix === undefined ? bits : Number(prefix);
  if (bits === undefined || length === undefined || !isPrefix || length > bits || rest.length > 0) {
    throw new Error(`"${text.slice(0, 60)}" is no range of addresses`);
  }
  const size = 1n << BigInt(bits - length);
  const number = bits === 32 ? numberOfIPv4(address) : numberOfIPv6(address);
  const first = number - (number % size);
  return { bits, first, last: first + size - 1n };
}

function numberOfIPv4(address: string): bigint {
  return address.split(".").reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
}

function numberOfIPv6(address: string): bigint {
  const dotted = /[^:]*\.[^:]*$/.exec(address)?.[0];
  const low = dotted === undefined ? "" : numberOfIPv4(dotted).toString(16).padStart(8, "0");
  const whole = dotted === undefined ? address : `${address.slice(0, -dotted.length)}${low.slice(0, 4)}:${low.slice(4)}`;
  const [head = "", tail] = whole.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
