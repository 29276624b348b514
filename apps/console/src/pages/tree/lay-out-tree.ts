import type { LiveState } from "../../data/live-store.ts";
import { childrenOf, listRoots, type Placed } from "../../data/references.ts";

interface Place {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One shape in the picture: an entity, the frame around a network's clusters, or a count of entities that are not drawn. */
export type TreeBox = Place &
  (
    | { readonly shape: "entity"; readonly placed: Placed; readonly within: readonly Placed[] }
    | { readonly shape: "frame" }
    | { readonly shape: "more"; readonly network: string; readonly count: number }
  );

export interface Tree {
  readonly boxes: readonly TreeBox[];
  readonly lines: readonly { readonly from: string; readonly to: string; readonly placed: Placed }[];
  readonly width: number;
  readonly height: number;
}

const boxWidth = 236;
const clusterWidth = 206;
const boxHeight = 58;
/** The extra height of a cluster box with node pools or storage, which are drawn inside the box. */
const chipsHeight = 28;
const across = 3;
const gap = 12;
const padding = 12;
const networkAt = boxWidth + 48;
const clusterAt = networkAt + boxWidth + 48;
/** The maximum number of clusters drawn per network. More boxes would be unreadable, so the rest appear as a count. */
const mostClusters = 30;

/** Lays out accounts, their networks, and the clusters of each network in a framed grid. Thirty clusters fit on one screen. */
export function layOutTree(kinds: LiveState["kinds"]): Tree {
  const boxes: TreeBox[] = [];
  const lines: { from: string; to: string; placed: Placed }[] = [];
  let y = 0;
  for (const account of listRoots(kinds)) {
    const networks = childrenOf(kinds, account).toSorted((a, b) => byName(a.entity, b.entity));
    const hasFrame = networks[0] !== undefined && childrenOf(kinds, networks[0]).length > 0;
    boxes.push(boxOf(account, 0, y + (hasFrame ? padding : 0), boxWidth));
    if (networks.length === 0) y += boxHeight + gap;
    for (const network of networks) {
      const framed = layOutClusters(kinds, network, y);
      // Aligns the network with the first row of clusters, which starts below the frame's padding.
      const box = boxOf(network, networkAt, y + (framed.height > 0 ? padding : 0), boxWidth);
      boxes.push(box);
      lines.push({ from: account.entity.metadata.uid, to: box.id, placed: network });
      boxes.push(...framed.boxes);
      const [frame] = framed.boxes;
      if (frame !== undefined) lines.push({ from: box.id, to: frame.id, placed: network });
      y += Math.max(boxHeight, framed.height) + gap;
    }
    y += gap;
  }
  const width = Math.max(0, ...boxes.map((box) => box.x + box.width));
  return { boxes, lines, width, height: Math.max(0, y - 2 * gap) };
}

/**
 * Places the clusters of a network in rows inside a frame. The frame is the first box in the result. For an empty network, returns an empty
 * list.
 */
function layOutClusters(kinds: LiveState["kinds"], network: Placed, top: number): { boxes: TreeBox[]; height: number } {
  const all = childrenOf(kinds, network).toSorted((a, b) => byName(a.entity, b.entity));
  if (all.length === 0) return { boxes: [], height: 0 };
  const shown = all.slice(0, mostClusters);
  const boxes: TreeBox[] = [];
  let y = top + padding;
  for (let first = 0; first < shown.length; first += across) {
    const row = shown
      .slice(first, first + across)
      .map((cluster, index) =>
        boxOf(
          cluster,
          clusterAt + padding + index * (clusterWidth + gap),
          y,
          clusterWidth,
          childrenOf(kinds, cluster).toSorted(byKind),
        ),
      );
    boxes.push(...row);
    y += Math.max(...row.map(({ height }) => height)) + gap;
  }
  const id = `frame-${network.entity.metadata.uid}`;
  if (all.length > shown.length) {
    const count = all.length - shown.length;
    const place = { id: `more-${id}`, x: clusterAt + padding, y, width: clusterWidth, height: 24 };
    boxes.push({ ...place, shape: "more", network: network.entity.metadata.name, count });
    y += 24 + gap;
  }
  const columns = Math.min(across, shown.length);
  const width = columns * (clusterWidth + gap) - gap + 2 * padding;
  const height = y - top - gap + padding;
  return { boxes: [{ id, shape: "frame", x: clusterAt, y: top, width, height }, ...boxes], height };
}

function boxOf(placed: Placed, x: number, y: number, width: number, within: readonly Placed[] = []): TreeBox {
  const height = boxHeight + (within.length > 0 ? chipsHeight : 0);
  return {
    id: placed.entity.metadata.uid,
    shape: "entity",
    placed,
    within,
    x,
    y,
    width,
    height,
  };
}

function byName(a: Placed["entity"], b: Placed["entity"]): number {
  return a.metadata.name.localeCompare(b.metadata.name, "en", { numeric: true });
}

function byKind(a: Placed, b: Placed): number {
  return a.kind.localeCompare(b.kind) || byName(a.entity, b.entity);
}
