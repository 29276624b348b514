/** A reproducible sequence of pseudo-random numbers. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns an integer from `low` to `high`, both inclusive. */
  whole(low: number, high: number): number;
  /** Returns an integer from 0 to `limit` - 1. */
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(probability: number): boolean;
  /** Returns the items in random order. */
  shuffle<Item>(items: readonly Item[]): Item[];
  /** Returns an independent sequence. Drawing from it does not affect this one. */
  fork(): Random;
}

/** Creates a sequence from a seed, with the mulberry32 algorithm. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const whole = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    whole,
    below: (limit) => whole(0, limit - 1),
    pick: (items) => items[whole(0, items.length - 1)] as (typeof items)[number],
    chance: (probability) => next() < probability,
    shuffle(items) {
      const mixed = [...items];
      for (let last = mixed.length - 1; last > 0; last -= 1) {
        const other = whole(0, last);
        [mixed[last], mixed[other]] = [mixed[other] as (typeof mixed)[number], mixed[last] as (typeof mixed)[number]];
      }
      return mixed;
    },
    fork: () => createRandom(Math.floor(next() * 0x1_0000_0000)),
  };
}
