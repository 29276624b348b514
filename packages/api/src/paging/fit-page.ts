/** Returns how many of the rendered items fit into a page of `maxBytes`. A page contains at least one item. */
export function countFitting(items: readonly string[], maxBytes: number | undefined): number {
  if (maxBytes === undefined) return items.length;
  let bytes = 0;
  const end = items.findIndex((item) => (bytes += item.length) > maxBytes);
  return end < 0 ? items.length : Math.max(end, 1);
}
