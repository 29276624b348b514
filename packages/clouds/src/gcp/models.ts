/** The parts of Google's APIs that this package uses. Both files are generated. */
export type * from "./compute-models.ts";
export type * from "./container-models.ts";
