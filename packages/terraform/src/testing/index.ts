/** For tests of other rooms: looking for what must be in no file. */
export { readAllFiles } from "./read-all-files.ts";
