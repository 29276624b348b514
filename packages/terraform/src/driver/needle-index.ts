/** Byte range; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Searches data for many byte strings at once. */
export interface NeedleIndex {
  /** Returns the matches in a chunk. The data from `holdFrom` on may be the start of a match that continues in the next chunk. */
  find(data: Buffer): { spans: Span[]; holdFrom: number };
}

/** Minimum length of a needle, in bytes. */
export const shortestNeedle = 4;

/**
 * Creates an index keyed by the first bytes of the needles, so that one pass finds any number of them. A plan may contain thousands of
 * secrets.
 */
export function createNeedleIndex(needles: readonly Buffer[]): NeedleIndex {
  const byHead = Map.groupBy(needles, (needle) => needle.readUInt32BE(0));
  // Marks the first two bytes of every needle. Looking up two bytes of the data rules out nearly every position.
  const byPair = new Uint8Array(65_536);
  const beginnings = new Set<string>();
  for (const needle of needles) {
    byPair[needle.readUInt16BE(0)] = 1;
    for (let size = 1; size < shortestNeedle; size += 1) beginnings.add(needle.toString("latin1", 0, size));
  }
  return {
    find(data) {
      const spans: Span[] = [];
      let holdFrom = data.length;
      const lastHead = data.length - shortestNeedle;
      for (let at = 0; at <= lastHead; at += 1) {
        if (byPair[((data[at] as number) << 8) | (data[at + 1] as number)] === 0) continue;
        // Find all matches, because overlapping secrets must be removed entirely.
        for (const needle of byHead.get(data.readUInt32BE(at)) ?? []) {
          const size = Math.min(needle.length, data.length - at);
          if (data.compare(needle, 0, size, at, at + size) !== 0) continue;
          if (size === needle.length) spans.push({ start: at, end: at + size });
          else holdFrom = Math.min(holdFrom, at);
        }
      }
      for (let at = Math.max(0, lastHead + 1); at < holdFrom; at += 1) {
        if (beginnings.has(data.toString("latin1", at))) holdFrom = at;
      }
      return { spans, holdFrom };
    },
  };
}
