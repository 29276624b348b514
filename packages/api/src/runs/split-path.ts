/** Limit on the number of segments. A longer path is treated like the path that contains it. */
export const mostSegments = 128;

/**
 * Splits an attribute path, such as `ebs[0].size` or `tags["team"]`, into segments: `ebs`, `[0]`, `.size`. Dots and brackets in a quoted key
 * do not split it. Returns only the first segments of a very deep path.
 */
export function splitPath(path: string): string[] {
  const segments: string[] = [];
  let start = 0;
  for (let at = 0; at < path.length; at += 1) {
    if (path[at] !== "." && path[at] !== "[") continue;
    segments.push(path.slice(start, at));
    if (segments.length === mostSegments) return segments;
    start = at;
    if (path[at + 1] === '"') at = findQuoteEnd(path, at + 1);
  }
  return [...segments, path.slice(start)];
}

/** Returns the position of the closing quote, or the length of the path if it has none. */
function findQuoteEnd(path: string, open: number): number {
  let at = open + 1;
  while (at < path.length && path[at] !== '"') at += path[at] === "\\" ? 2 : 1;
  return at;
}
