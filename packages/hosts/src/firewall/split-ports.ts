const bits = 16;
const mask = (size: number): number => 2 ** bits - size;

/** Splits a range of ports into values with masks, as OpenFlow matches them. A range needs at most 30 of them. */
export function splitPorts(first: number, last: number): string[] {
  const parts: string[] = [];
  for (let port = first; port <= last;) {
    let size = 1;
    // The part is as large as its alignment and the rest of the range allow.
    while (port % (size * 2) === 0 && port + size * 2 - 1 <= last && size * 2 <= 2 ** bits) size *= 2;
    parts.push(size === 1 ? String(port) : `0x${port.toString(16)}/0x${mask(size).toString(16)}`);
    port += size;
  }
  return parts;
}
