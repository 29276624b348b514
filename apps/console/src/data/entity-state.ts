import type { AnyEntity } from "@cloudwright/api-client";

/** Counts the items per word, most frequent first. */
export function countBy<Item>(items: readonly Item[], wordOf: (item: Item) => string): [word: string, count: number][] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const word = wordOf(item);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

/** Returns the phase to show for an entity. A plan that needs approval takes precedence over the phase. */
export function phaseOf(entity: AnyEntity): string {
  return hasCondition(entity, "ApprovalNeeded") ? "NEEDS_APPROVAL" : entity.status?.phase || "PENDING";
}

/** Returns whether the entity has a condition of this type with status True. */
export function hasCondition(entity: AnyEntity, type: string): boolean {
  return entity.status?.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}
