import type { TaskTypeName } from "@cloudwright/contract";

/** Renders task types as the right side of SQL's `in`. They come from the contract's closed set, so that none needs to be quoted twice. */
export function renderTypeList(types: readonly TaskTypeName[]): string {
  return `(${types.map((type) => `'${type}'`).join(", ")})`;
}
