import { fileURLToPath } from "node:url";

/** The cache of compiled modules that all programs in the tests share. It halves the CPU time of each start. */
export const compiledModules = fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url));
