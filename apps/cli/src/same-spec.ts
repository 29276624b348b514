import { isObject } from "@cloudwright/platform";
import type { AnyEntity, Stored } from "@cloudwright/api-client";

/**
 * Returns whether two versions of an entity have the same user-editable fields. Comparing `resourceVersion` is not enough, because status
 * updates change it too.
 */
export function isSameWish(before: Stored<AnyEntity>, after: Stored<AnyEntity>): boolean {
  return before.metadata.generation === after.metadata.generation && contentOf(before) === contentOf(after);
}

function contentOf({ spec, metadata }: Stored<AnyEntity>): string {
  const { labels = {}, annotations = {}, environment = "", deletionProtection = false, deletionPolicy = "" } = metadata;
  return JSON.stringify(
    [spec ?? {}, labels, annotations, environment, deletionProtection, deletionPolicy],
    (_key, value: unknown) =>
      isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}
