import { randomInt } from "node:crypto";
import { processEnvironment } from "../config.ts";

/**
 * Chooses the seed of a random test. Set CLOUDWRIGHT_TEST_SEED to repeat a run. The test must therefore show the seed in its title or
 * output.
 */
export function chooseSeed(): number {
  return Number(processEnvironment["CLOUDWRIGHT_TEST_SEED"] ?? randomInt(2 ** 31));
}

/** Chooses a seed and prints it, for tests whose title does not contain it. */
export function printSeed(what: string): number {
  const seed = chooseSeed();
  console.log(`${what}: seed ${seed}; set CLOUDWRIGHT_TEST_SEED to repeat it`);
  return seed;
}
