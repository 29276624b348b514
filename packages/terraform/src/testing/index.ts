/** Test support for other packages: searches files for secrets that must not be in them. */
export { readAllFiles } from "./read-all-files.ts";
