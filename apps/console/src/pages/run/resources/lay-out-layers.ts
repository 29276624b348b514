import { orderLayers } from "./order-layers.ts";
import { settle } from "./settle.ts";
import type { Slot } from "./slot.ts";

/** A box to place in the layout. */
export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** An edge between two boxes. `from` is placed to the left of `to`. */
export interface Link {
  readonly from: string;
  readonly to: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Boxes in layers from left to right, and edges with the points that they pass through. */
export interface LayeredPicture {
  readonly boxes: readonly (Box & Point & { readonly layer: number })[];
  readonly links: readonly (Link & { readonly points: readonly Point[] })[];
  readonly width: number;
  readonly height: number;
}

const columnGap = 52;
const rowGap = 18;
const passHeight = 6;
/** The preferred ratio of width to height. */
const shape = 1.9;

/** Places boxes so that edges point from left to right, are short and rarely cross. */
export function layOutLayers(boxes: readonly Box[], links: readonly Link[]): LayeredPicture {
  const known = new Map(boxes.map((box) => [box.id, box]));
  const layerOf = assignLayers(boxes, dropCircles(boxes, links));
  const slots = new Map<string, Slot>();
  for (const { id, height } of boxes) slots.set(id, { id, height, layer: layerOf.get(id) ?? 0, before: [], after: [] });
  const ways = links
    .filter(({ from, to }) => known.has(from) && known.has(to) && (layerOf.get(from) ?? 0) < (layerOf.get(to) ?? 0))
    .map((link) => ({ link, way: createWay(slots, link) }));
  const layers = orderLayers([...slots.values()]);
  const tops = settle(layers, rowGap);
  const columns = placeColumns(layers, known);
  const middle = (slot: Slot): number => (tops.get(slot) ?? 0) + slot.height / 2;
  return {
    boxes: layers.flatMap((layer, index) =>
      layer.flatMap((slot) => {
        const box = known.get(slot.id);
        return box === undefined ? [] : [{ ...box, x: columns[index]?.x ?? 0, y: tops.get(slot) ?? 0, layer: index }];
      }),
    ),
    links: ways.map(({ link, way }) => ({
      ...link,
      points: way.flatMap((slot) => {
        const { x = 0, width = 0 } = columns[slot.layer] ?? {};
        return [
          { x, y: middle(slot) },
          { x: x + width, y: middle(slot) },
        ];
      }),
    })),
    width: Math.max(0, ...columns.map(({ x, width }) => x + width)),
    height: Math.max(0, ...[...tops].map(([slot, top]) => top + slot.height)),
  };
}

/** Removes edges that would form a cycle. */
function dropCircles(boxes: readonly Box[], links: readonly Link[]): readonly Link[] {
  const known = new Set(boxes.map(({ id }) => id));
  const after = Map.groupBy(
    links.filter(({ from, to }) => from !== to && known.has(from) && known.has(to)),
    ({ from }) => from,
  );
  const state = new Map<string, "open" | "done">();
  const kept: Link[] = [];
  const visit = (id: string): void => {
    state.set(id, "open");
    for (const link of after.get(id) ?? []) {
      if (state.get(link.to) === "open") continue;
      kept.push(link);
      if (!state.has(link.to)) visit(link.to);
    }
    state.set(id, "done");
  };
  for (const { id } of boxes) if (!state.has(id)) visit(id);
  return kept;
}

/**
 * Assigns each box to the earliest layer that its predecessors and the available space allow. Boxes without predecessors are placed
 * close to their successors.
 */
function assignLayers(boxes: readonly Box[], links: readonly Link[]): Map<string, number> {
  const before = Map.groupBy(links, ({ to }) => to);
  const after = Map.groupBy(links, ({ from }) => from);
  const rest = new Map<string, number>();
  /** Returns the length of the longest path that starts at a box. */
  const countRest = (id: string): number => {
    const found = rest.get(id) ?? Math.max(0, ...(after.get(id) ?? []).map(({ to }) => countRest(to) + 1));
    rest.set(id, found);
    return found;
  };
  const limit = limitHeight(boxes);
  const used: number[] = [];
  const layerOf = new Map<string, number>();
  const put = (box: Box, layer: number): void => {
    used[layer] = (used[layer] ?? 0) + box.height + rowGap;
    layerOf.set(box.id, layer);
  };
  const fits = (box: Box, layer: number): boolean => (used[layer] ?? 0) === 0 || (used[layer] ?? 0) + box.height <= limit;
  const waiting = boxes.toSorted((a, b) => countRest(b.id) - countRest(a.id));
  // Boxes with the longest remaining path come first, so all predecessors of a box already have a layer.
  for (const box of waiting) {
    let layer = Math.max(-1, ...(before.get(box.id) ?? []).map(({ from }) => layerOf.get(from) ?? -1)) + 1;
    while (!fits(box, layer)) layer += 1;
    put(box, layer);
  }
  for (const box of waiting.toReversed()) {
    if (before.has(box.id)) continue;
    const own = layerOf.get(box.id) ?? 0;
    let layer = Math.min(...(after.get(box.id) ?? []).map(({ to }) => layerOf.get(to) ?? 0), Infinity) - 1;
    if (!Number.isFinite(layer)) continue;
    while (layer > own && !fits(box, layer)) layer -= 1;
    if (layer <= own) continue;
    used[own] = (used[own] ?? 0) - box.height - rowGap;
    put(box, layer);
  }
  return closeGaps(layerOf);
}

function limitHeight(boxes: readonly Box[]): number {
  const area = boxes.reduce((sum, { width, height }) => sum + (width + columnGap) * (height + rowGap), 0);
  return Math.max(3 * 60, 1.25 * Math.sqrt(area / shape), ...boxes.map(({ height }) => height));
}

function closeGaps(layerOf: ReadonlyMap<string, number>): Map<string, number> {
  const taken = [...new Set(layerOf.values())].toSorted((a, b) => a - b);
  return new Map([...layerOf].map(([id, layer]) => [id, taken.indexOf(layer)]));
}

/** Adds a slot to each layer that an edge passes through. */
function createWay(slots: Map<string, Slot>, { from, to }: Link): Slot[] {
  const [first, last] = [slots.get(from) as Slot, slots.get(to) as Slot];
  const way: Slot[] = [];
  let previous = first;
  for (let layer = first.layer + 1; layer < last.layer; layer += 1) {
    const slot: Slot = { id: `${from} ${to} ${layer}`, height: passHeight, layer, before: [previous], after: [] };
    slots.set(slot.id, slot);
    previous.after.push(slot);
    way.push(slot);
    previous = slot;
  }
  previous.after.push(last);
  last.before.push(previous);
  return way;
}

function placeColumns(layers: readonly (readonly Slot[])[], known: ReadonlyMap<string, Box>): { x: number; width: number }[] {
  let x = 0;
  return layers.map((layer) => {
    const width = Math.max(0, ...layer.map(({ id }) => known.get(id)?.width ?? 0));
    const column = { x, width };
    x += width + columnGap;
    return column;
  });
}
