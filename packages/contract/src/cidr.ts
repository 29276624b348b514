/** An IPv4 range: first address and prefix length. */
export interface Range {
  readonly first: number;
  readonly last: number;
  readonly prefix: number;
}

/** Parses `10.0.0.0/16`; undefined when it is not a range or has host bits set. */
export function parseRange(text: string): Range | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  if (match === null) return undefined;
  const octets = match.slice(1, 5).map(Number);
  const prefix = Number(match[5]);
  if (prefix > 32 || octets.some((octet) => octet > 255)) return undefined;
  const first = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  const size = 2 ** (32 - prefix);
  return first % size === 0 ? { first, last: first + size - 1, prefix } : undefined;
}

export function containsRange(outer: Range, inner: Range): boolean {
  return outer.first <= inner.first && inner.last <= outer.last;
}

export function overlaps(a: Range, b: Range): boolean {
  return a.first <= b.last && b.first <= a.last;
}
