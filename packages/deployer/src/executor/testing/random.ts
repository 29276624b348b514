import { processEnvironment } from "@cloudwright/platform";
import { randomInt } from "node:crypto";

/** Creates a generator of numbers from 0 to 1 that repeats itself for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Chooses a seed and prints it, so that a failure can be repeated with CLOUDWRIGHT_TEST_SEED. */
export function printSeed(what: string): number {
  const seed = Number(processEnvironment["CLOUDWRIGHT_TEST_SEED"] ?? randomInt(1_000_000));
  console.log(`${what}: seed ${seed}`);
  return seed;
}
