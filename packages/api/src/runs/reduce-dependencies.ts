/** What a resource needs, by addresses without the keys of instances. */
export interface Dependency {
  readonly address: string;
  readonly needs: readonly string[];
}

/** Beyond so many nobody could read the picture, and reducing them would take longer than a request may. */
const mostResources = 2000;
const mostNeeds = 20_000;
const longestAddress = 1024;

/**
 * Of who needs whom only what is among the wanted resources, and of that only what does not follow from the rest. What leads through others,
 * which are read or stay as they are, is kept as if it were direct.
 */
export function reduceDependencies(all: readonly Dependency[], wanted: Iterable<string>): Dependency[] {
  const needsCount = all.reduce((sum, { needs }) => sum + needs.length, 0);
  if (all.length > mostResources || needsCount > mostNeeds) return [];
  const direct = new Map(all.map(({ address, needs }) => [address, needs]));
  const shown = new Set([...wanted].map(dropKeys).filter((address) => direct.has(address) && address.length <= longestAddress));
  const reached = new Map<string, ReadonlySet<string>>();
  /** Everything that is needed, near and far. */
  const reach = (address: string): ReadonlySet<string> => {
    const before = reached.get(address);
    if (before !== undefined) return before;
    const found = new Set<string>();
    // Whoever sends a circle gets as much of it as there is before it closes.
    reached.set(address, found);
    for (const need of direct.get(address) ?? []) {
      if (need === address || !direct.has(need)) continue;
      found.add(need);
      for (const far of reach(need)) found.add(far);
    }
    found.delete(address);
    return found;
  };
  return [...shown].map((address) => {
    const needs = [...reach(address)].filter((need) => shown.has(need));
    const indirect = new Set(needs.flatMap((need) => [...reach(need)]));
    return { address, needs: needs.filter((need) => !indirect.has(need)).toSorted() };
  });
}

/** An address without the keys of `count` and `for_each`. */
export function dropKeys(address: string): string {
  return address.replaceAll(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, "");
}
