/** Bytes from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the needles are in a piece of a stream, and from where on it could be the beginning of one that the next piece continues. */
export function findNeedles(data: Buffer, needles: readonly Buffer[]): { spans: Span[]; holdFrom: number } {
  const spans = needles.flatMap((needle) => listOccurrences(data, needle));
  return { spans, holdFrom: findBeginning(data, needles) };
}

// Overlapping ones too: of two secrets that share bytes, no rest may stay.
function listOccurrences(data: Buffer, needle: Buffer): Span[] {
  const found: Span[] = [];
  for (let at = data.indexOf(needle); at !== -1; at = data.indexOf(needle, at + 1)) {
    found.push({ start: at, end: at + needle.length });
  }
  return found;
}

function findBeginning(data: Buffer, needles: readonly Buffer[]): number {
  let earliest = data.length;
  for (const needle of needles) {
    const first = needle[0] as number;
    const from = Math.max(0, data.length - needle.length + 1);
    for (let at = data.indexOf(first, from); at !== -1 && at < earliest; at = data.indexOf(first, at + 1)) {
      if (data.compare(needle, 0, data.length - at, at) !== 0) continue;
      earliest = at;
      break;
    }
  }
  return earliest;
}
