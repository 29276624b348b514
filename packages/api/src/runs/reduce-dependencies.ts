/** The dependencies of a resource. The addresses do not contain instance keys. */
export interface Dependency {
  readonly address: string;
  readonly needs: readonly string[];
}

/** Limit on the number of resources. A larger diagram would be unreadable, and reducing it would exceed the request timeout. */
const mostResources = 2000;
const mostNeeds = 20_000;
const longestAddress = 1024;

/**
 * Reduces a dependency graph to the given resources and removes redundant edges. An indirect dependency through removed resources becomes
 * a direct one.
 */
export function reduceDependencies(all: readonly Dependency[], wanted: Iterable<string>): Dependency[] {
  const needsCount = all.reduce((sum, { needs }) => sum + needs.length, 0);
  if (all.length > mostResources || needsCount > mostNeeds) return [];
  const direct = new Map(all.map(({ address, needs }) => [address, needs]));
  const shown = new Set([...wanted].map(dropKeys).filter((address) => direct.has(address) && address.length <= longestAddress));
  const reached = new Map<string, ReadonlySet<string>>();
  /** Returns all direct and indirect dependencies of a resource. */
  const reach = (address: string): ReadonlySet<string> => {
    const before = reached.get(address);
    if (before !== undefined) return before;
    const found = new Set<string>();
    // The set is stored before it is complete, so that the recursion terminates if the graph contains a cycle. Resources in a cycle may
    // therefore lack some of their dependencies.
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
    const indirect = new Set<string>();
    // Dependencies of an indirect dependency are indirect as well, so they are not followed again. Without this shortcut, the running time
    // would be cubic in the length of a dependency chain.
    for (const need of needs) if (!indirect.has(need)) for (const far of reach(need)) indirect.add(far);
    return { address, needs: needs.filter((need) => !indirect.has(need)).toSorted() };
  });
}

/** Removes the instance keys of `count` and `for_each` from an address. */
export function dropKeys(address: string): string {
  return address.replaceAll(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, "");
}
