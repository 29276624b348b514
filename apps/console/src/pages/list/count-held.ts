import type { KindName } from "@cloudwright/api-client";
import type { LiveState } from "../../data/live-store.ts";

/** The kind to count for each entity: the one directly below it. */
const held: Readonly<Partial<Record<KindName, KindName>>> = { Account: "Network", Network: "Cluster", Cluster: "NodePool" };
const grouped: readonly KindName[] = ["Account", "Network", "Cluster", "Storage"];

/** Counts the children of each entity of a kind by name; for environments, their members. */
export function countHeld(kinds: LiveState["kinds"], kind: KindName): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (name: string | undefined): void => {
    if (name !== undefined && name !== "") counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const of = held[kind];
  if (kind === "Environment") {
    for (const each of grouped) for (const { metadata } of kinds[each]?.values() ?? []) add(metadata.environment);
  } else if (of !== undefined) {
    for (const { metadata } of kinds[of]?.values() ?? []) add(metadata.parent);
  }
  return counts;
}
