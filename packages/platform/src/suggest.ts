/** Renders ` (did you mean X?)` for a mistyped word, or "" if no candidate is similar enough. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = suggest(word, candidates);
  return near === undefined ? "" : ` (did you mean ${near}?)`;
}

/** Returns the candidate most similar to the input, or undefined if none is similar enough. Case is ignored. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const allowed = Math.max(1, Math.floor(candidate.length / 3));
    // The distance is at least the difference in length, so candidates of very different length are skipped. This limits the cost of very
    // long words.
    if (Math.abs(word.length - candidate.length) > allowed) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= allowed && distance < (best?.distance ?? Infinity)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Returns the number of insertions, deletions, replacements and swaps of adjacent characters that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(i - 2, j - 2) + 1 : Infinity;
      (rows[i] as number[])[j] = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, replaced, swapped);
    }
  }
  return cell(a.length, b.length);
}
