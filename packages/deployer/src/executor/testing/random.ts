import { processEnvironment } from "@cloudwright/platform";
import { randomInt } from "node:crypto";

/** Creates a random number generator for values from 0 to 1. The same seed yields the same sequence. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Chooses a seed and prints it. Set CLOUDWRIGHT_TEST_SEED to repeat a failed run. */
export function printSeed(what: string): number {
  const seed = Number(processEnvironment["CLOUDWRIGHT_TEST_SEED"] ?? randomInt(1_000_000));
  console.log(`${what}: seed ${seed}`);
  return seed;
}
