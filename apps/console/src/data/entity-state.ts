import type { AnyEntity } from "@cloudwright/api-client";

/** Counts items by the word that `wordOf` returns, most frequent word first. */
export function countBy<Item>(items: readonly Item[], wordOf: (item: Item) => string): [word: string, count: number][] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const word = wordOf(item);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

/** Returns the phase to display. "Needs approval" takes precedence over the entity's own phase. */
export function phaseOf(entity: AnyEntity): string {
  return hasCondition(entity, "ApprovalNeeded") ? "NEEDS_APPROVAL" : entity.status?.phase || "PENDING";
}

export function hasCondition(entity: AnyEntity, type: string): boolean {
  return entity.status?.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}
