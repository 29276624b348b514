/** Largest number of nodes that a pool can have in its simulated cluster. The clouds' own limits are lower. */
const mostNodes = 1000;

/** Limits the size of a pool. The pool's record may contain any number, because users can change records without the cloud's checks. */
export function limitNodes(count: number): number {
  return Math.min(mostNodes, Math.max(0, Math.trunc(count) || 0));
}
