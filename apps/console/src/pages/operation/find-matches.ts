/** The position of a search match in a log. */
export interface Match {
  readonly line: number;
  readonly at: number;
}

const mostMatches = 10_000;

/** Finds every occurrence of a word, ignoring case. */
export function findMatches(lines: readonly string[], word: string): Match[] {
  const wanted = word.toLowerCase();
  const found: Match[] = [];
  if (wanted === "") return found;
  for (const [line, text] of lines.entries()) {
    const lower = text.toLowerCase();
    for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) {
      found.push({ line, at });
      if (found.length >= mostMatches) return found;
    }
  }
  return found;
}

/** A part of a line, and the match that it belongs to, if any. */
export interface Piece {
  readonly text: string;
  /** The offset at which the match starts in the line. */
  readonly match: number | undefined;
}

/** Splits a string at the boundaries of the matches. `from` is the offset of the string in its line. */
export function cutAtMatches(text: string, from: number, starts: readonly number[], length: number): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const start of starts) {
    const [begin, end] = [Math.max(start - from, at), Math.min(start + length - from, text.length)];
    if (end <= begin) continue;
    if (begin > at) pieces.push({ text: text.slice(at, begin), match: undefined });
    pieces.push({ text: text.slice(begin, end), match: start });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), match: undefined });
  return pieces;
}
