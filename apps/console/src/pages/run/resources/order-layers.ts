import type { Slot } from "./slot.ts";

const sweeps = 12;

/**
 * Orders the slots of each layer to reduce edge crossings. Several passes move each slot to the median of its neighbours. The best
 * order is kept.
 */
export function orderLayers(slots: readonly Slot[]): readonly (readonly Slot[])[] {
  const count = Math.max(-1, ...slots.map(({ layer }) => layer)) + 1;
  let layers: readonly (readonly Slot[])[] = Array.from({ length: count }, (_, index) =>
    slots.filter(({ layer }) => layer === index),
  );
  let best = layers;
  let fewest = countCrossings(layers);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep += 1) {
    layers = sweepOnce(layers, sweep % 2 === 0);
    const crossings = countCrossings(layers);
    if (crossings < fewest) {
      best = layers;
      fewest = crossings;
    }
  }
  return best;
}

function sweepOnce(layers: readonly (readonly Slot[])[], isForward: boolean): readonly (readonly Slot[])[] {
  const sorted = [...layers];
  const indexes = isForward ? [...layers.keys()] : [...layers.keys()].toReversed();
  const places = new Map(layers.flatMap((layer) => layer.map((slot, place) => [slot, place] as const)));
  for (const index of indexes) {
    const wanted = new Map(
      (sorted[index] ?? []).map((slot) => {
        const near = isForward ? slot.before : slot.after;
        const sum = near.reduce((total, each) => total + (places.get(each) ?? 0), 0);
        return [slot, near.length === 0 ? (places.get(slot) ?? 0) : sum / near.length] as const;
      }),
    );
    const layer = (sorted[index] ?? []).toSorted((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    for (const [place, slot] of layer.entries()) places.set(slot, place);
    sorted[index] = layer;
  }
  return sorted;
}

/** Counts the edge crossings between adjacent layers. */
function countCrossings(layers: readonly (readonly Slot[])[]): number {
  let crossings = 0;
  for (const [index, layer] of layers.entries()) {
    const places = new Map(layers[index + 1]?.map((slot, place) => [slot, place]));
    const ends = layer.map((slot) => slot.after.map((each) => places.get(each) ?? 0));
    for (const [place, mine] of ends.entries())
      for (const others of ends.slice(place + 1))
        for (const end of mine) crossings += others.filter((other) => other < end).length;
  }
  return crossings;
}
