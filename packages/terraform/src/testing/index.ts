/** For tests of other packages: searches for secrets that must be in no file. */
export { readAllFiles } from "./read-all-files.ts";
