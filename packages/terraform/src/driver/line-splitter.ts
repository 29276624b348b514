/** Splits a byte stream into lines. */
export interface LineSplitter {
  push(chunk: Buffer): string[];
  /** Returns the last line if it had no line break. */
  end(): string[];
}

/** Creates a splitter. Lines longer than `longestBytes` are truncated, so that endless lines cannot exhaust memory. */
export function createLineSplitter(longestBytes: number): LineSplitter {
  let parts: Buffer[] = [];
  let size = 0;

  const keep = (part: Buffer): void => {
    const room = longestBytes - size;
    if (room <= 0 || part.length === 0) return;
    parts.push(Buffer.from(part.subarray(0, room)));
    size += Math.min(part.length, room);
  };
  const take = (): string => {
    const line = Buffer.concat(parts).toString().replace(/\r$/, "");
    parts = [];
    size = 0;
    return line;
  };
  return {
    push(chunk) {
      const lines: string[] = [];
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        keep(chunk.subarray(from, at));
        lines.push(take());
        from = at + 1;
      }
      keep(chunk.subarray(from));
      return lines;
    },
    end: () => (size === 0 ? [] : [take()]),
  };
}
