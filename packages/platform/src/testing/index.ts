// Seeded random numbers for the tests of every package.
export { createRandom, type Random } from "./random.ts";
export { chooseSeed, printSeed } from "./seed.ts";
