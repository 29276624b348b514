import type { TaskTypeName } from "@cloudwright/contract";

/**
 * Renders task types as the right-hand side of an SQL `in`. The names need no escaping, because they come from the contract's closed set.
 */
export function renderTypeList(types: readonly TaskTypeName[]): string {
  return `(${types.map((type) => `'${type}'`).join(", ")})`;
}
