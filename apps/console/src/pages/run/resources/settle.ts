import type { Slot } from "./slot.ts";

const passes = 8;

/** Returns the vertical position of each slot, as close to the centre of its neighbours as the order and gaps allow. */
export function settle(layers: readonly (readonly Slot[])[], gap: number): ReadonlyMap<Slot, number> {
  const tops = new Map<Slot, number>();
  for (const layer of layers) {
    let top = 0;
    for (const slot of layer) {
      tops.set(slot, top);
      top += slot.height + gap;
    }
  }
  const middle = (slot: Slot): number => (tops.get(slot) ?? 0) + slot.height / 2;
  for (let pass = 0; pass < passes; pass += 1) {
    for (const layer of pass % 2 === 0 ? layers : layers.toReversed()) {
      const wanted = layer.map((slot) => {
        const near = pass === passes - 1 ? [...slot.before, ...slot.after] : pass % 2 === 0 ? slot.before : slot.after;
        const goal = near.length === 0 ? middle(slot) : near.reduce((sum, each) => sum + middle(each), 0) / near.length;
        return goal - slot.height / 2;
      });
      for (const [index, top] of spread(
        wanted,
        layer.map(({ height }) => height + gap),
      ).entries())
        tops.set(layer[index] as Slot, top);
    }
  }
  const least = Math.min(0, ...tops.values()) || Math.min(...tops.values());
  return new Map([...tops].map(([slot, top]) => [slot, top - least]));
}

/** Returns positions in the given order without overlaps. Minimizes the squared distance to the desired positions. */
export function spread(wanted: readonly number[], sizes: readonly number[]): number[] {
  const offsets = sizes.reduce<number[]>((list, size) => [...list, (list.at(-1) ?? 0) + size], [0]);
  const blocks: { sum: number; count: number }[] = [];
  for (const [index, goal] of wanted.entries()) {
    blocks.push({ sum: goal - (offsets[index] ?? 0), count: 1 });
    // Overlapping blocks are merged and move together.
    for (
      let [last, previous] = [blocks.at(-1), blocks.at(-2)];
      last && previous && previous.sum / previous.count > last.sum / last.count;
    ) {
      blocks.splice(-2, 2, { sum: last.sum + previous.sum, count: last.count + previous.count });
      [last, previous] = [blocks.at(-1), blocks.at(-2)];
    }
  }
  const bases = blocks.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
  return bases.map((base, index) => base + (offsets[index] ?? 0));
}
