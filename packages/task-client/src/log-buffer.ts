export interface BufferedLine {
  readonly seq: number;
  readonly atMs: number;
  readonly line: string;
}

/** Log lines of one task that the server has not acknowledged yet. */
export interface LogBuffer {
  add(line: string): void;
  /** Returns the oldest lines that fit into one message. They stay in the buffer until they are acknowledged. */
  peek(): readonly BufferedLine[];
  /** Removes all lines up to this sequence number. */
  acknowledge(seq: number): void;
  isEmpty(): boolean;
  /** Returns whether the buffered lines exceed one message. */
  hasMore(): boolean;
}

const longestLine = 8192;
const messageLines = 500;
const messageCharacters = 128 * 1024;

/** Creates a buffer with limited size. When it is full, the oldest lines are dropped, and a notice reports how many. */
export function createLogBuffer(options: {
  nowMs: () => number;
  firstSeq?: number;
  maxLines?: number;
  maxCharacters?: number;
}): LogBuffer {
  const { nowMs, maxLines = 5000, maxCharacters = 1024 * 1024 } = options;
  let lines: BufferedLine[] = [];
  let characters = 0;
  let nextSeq = options.firstSeq ?? 1;
  let dropped: { count: number; seq: number; atMs: number } | undefined;

  const isFull = (): boolean => lines.length > maxLines || characters > maxCharacters;
  const dropOldest = (): void => {
    const oldest = lines.shift();
    if (oldest === undefined) return;
    characters -= oldest.line.length;
    dropped = { count: (dropped?.count ?? 0) + 1, seq: oldest.seq, atMs: oldest.atMs };
  };

  const buffer: LogBuffer = {
    add(text) {
      // PostgreSQL cannot store NUL characters. A trailing line break would appear as an empty line.
      const line = text
        .replaceAll("\0", "")
        .replace(/\r?\n$/, "")
        .slice(0, longestLine)
        .toWellFormed();
      lines.push({ seq: nextSeq, atMs: nowMs(), line });
      nextSeq += 1;
      characters += line.length;
      while (isFull()) dropOldest();
    },
    peek() {
      const chosen: BufferedLine[] = [];
      let size = 0;
      // The notice gets the sequence number of the last dropped line, so that the log stays in order.
      if (dropped !== undefined) {
        chosen.push({
          seq: dropped.seq,
          atMs: dropped.atMs,
          line: `... ${dropped.count} lines dropped because they were written faster than they could be sent`,
        });
      }
      for (const line of lines) {
        size += line.line.length;
        if (chosen.length >= messageLines || (size > messageCharacters && chosen.length > 0)) break;
        chosen.push(line);
      }
      return chosen;
    },
    acknowledge(seq) {
      if (dropped !== undefined && dropped.seq <= seq) dropped = undefined;
      lines = lines.filter((line) => line.seq > seq);
      characters = lines.reduce((sum, line) => sum + line.line.length, 0);
    },
    isEmpty: () => lines.length === 0 && dropped === undefined,
    hasMore: () => (buffer.peek().at(-1)?.seq ?? 0) < (lines.at(-1)?.seq ?? 0),
  };
  return buffer;
}
