import { processEnvironment } from "@cloudwright/platform";

// CLOUDWRIGHT_TEST_SEED also repeats the random cases of property tests.
const seed = processEnvironment["CLOUDWRIGHT_TEST_SEED"];
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
