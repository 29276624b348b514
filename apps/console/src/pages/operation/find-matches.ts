/** Where a word stands in a log: the line, and from which character on. */
export interface Match {
  readonly line: number;
  readonly at: number;
}

const mostMatches = 10_000;

/** Every place of a word in lines, whatever the case of its letters. */
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

/** A piece of a painted text, and which match it is, if any. */
export interface Piece {
  readonly text: string;
  /** The character of the line at which the match that it belongs to begins. */
  readonly match: number | undefined;
}

/** Cuts a piece of a line that begins at `from` where matches of so many characters begin and end. */
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
