/** A line as it is sent. */
export interface BufferedLine {
  readonly seq: number;
  readonly atMs: number;
  readonly line: string;
}

/** Lines of one task on their way to the server. */
export interface LogBuffer {
  add(line: string): void;
  /** The oldest lines, as many as one message may hold; they stay until they are acknowledged. */
  peek(): readonly BufferedLine[];
  /** Forgets lines up to this sequence number. */
  acknowledge(seq: number): void;
  isEmpty(): boolean;
  /** Whether one message does not hold them all. */
  hasMore(): boolean;
}

const longestLine = 8192;
const messageLines = 500;
const messageCharacters = 128 * 1024;

/** A buffer that holds a bounded number of characters: what does not fit drops the oldest, and a line says how many. */
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
      // PostgreSQL keeps no NUL; a line break would make two lines of one.
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
      // The notice takes the number of the last line it stands for, so that the order stays.
      if (dropped !== undefined) {
        chosen.push({
          seq: dropped.seq,
          atMs: dropped.atMs,
          line: `... ${dropped.count} lines dropped: they came faster than they could be sent`,
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
