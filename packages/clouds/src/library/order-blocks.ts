import type { JsonObject } from "@cloudwright/platform/json";

/**
 * Returns blocks without duplicates, in an order that depends only on their contents. For attributes with blocks whose order has no meaning:
 * parts and blueprints both use this order, so that equal blocks are equal lists.
 */
export function orderBlocks(blocks: readonly JsonObject[]): JsonObject[] {
  const sorted = blocks.map((block): JsonObject => {
    const entries = Object.entries(block).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(entries);
  });
  const known = new Map(sorted.map((block) => [JSON.stringify(block), block]));
  return [...known.keys()].toSorted().map((key) => known.get(key) as JsonObject);
}
