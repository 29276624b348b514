import type { ResourceEdge } from "./build-graph.ts";

/** An instance and its position in the layout. */
export interface PlacedInstance {
  readonly address: string;
  readonly node: string;
  readonly layer: number;
  readonly y: number;
}

/**
 * Returns the instance to focus after a key press. Up and down move within the layer, left and right along the edges. Home and End move to
 * the first and last instance. Returns undefined for other keys, or if there is no instance to move to.
 */
export function stepFrom(
  order: readonly PlacedInstance[],
  edges: readonly ResourceEdge[],
  address: string,
  key: string,
): string | undefined {
  const here = order.find((each) => each.address === address);
  if (here === undefined) return undefined;
  const index = order.indexOf(here);
  if (key === "Home") return order[0]?.address;
  if (key === "End") return order.at(-1)?.address;
  if (key === "ArrowDown" || key === "ArrowUp") {
    const next = order[index + (key === "ArrowDown" ? 1 : -1)];
    return next?.layer === here.layer ? next.address : undefined;
  }
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const isRight = key === "ArrowRight";
  const linked = new Set(
    edges.flatMap(({ from, to }) => (isRight ? (from === here.node ? [to] : []) : to === here.node ? [from] : [])),
  );
  const beside = order.filter(
    ({ node, layer }) => linked.has(node) || (linked.size === 0 && layer === here.layer + (isRight ? 1 : -1)),
  );
  return beside.toSorted((a, b) => Math.abs(a.y - here.y) - Math.abs(b.y - here.y))[0]?.address;
}
