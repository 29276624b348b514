/** The parts of Google's APIs that this package uses. Both of the re-exported files are generated. */
export type * from "./compute-models.ts";
export type * from "./container-models.ts";
