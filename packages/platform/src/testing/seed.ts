import { randomInt } from "node:crypto";
import { processEnvironment } from "../config.ts";

/** Chooses the seed of a random test. CLOUDWRIGHT_TEST_SEED repeats a run; the test must show the seed in its title or its output. */
export function chooseSeed(): number {
  return Number(processEnvironment["CLOUDWRIGHT_TEST_SEED"] ?? randomInt(2 ** 31));
}

/** Chooses a seed and prints it, for tests whose title does not contain it. */
export function printSeed(what: string): number {
  const seed = chooseSeed();
  console.log(`${what}: seed ${seed}; set CLOUDWRIGHT_TEST_SEED to repeat it`);
  return seed;
}
