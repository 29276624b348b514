import type { LiveState } from "../../data/live-store.ts";
import type { ListView } from "../../kinds/kind-view.ts";

/** Returns how many entities each row contains, keyed by the row's name. */
export function countChildren(kinds: LiveState["kinds"], { counts }: ListView): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  if (counts === undefined) return found;
  for (const kind of counts.kinds) {
    for (const { metadata } of kinds[kind]?.values() ?? []) {
      const name = metadata[counts.by] ?? "";
      if (name !== "") found.set(name, (found.get(name) ?? 0) + 1);
    }
  }
  return found;
}
