import { addBits, clearBit, createBits, hasBit, listBits, setBit } from "./bits.ts";

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
 * a direct one. Returns an empty list if the graph is too large to be shown.
 */
export function reduceDependencies(all: readonly Dependency[], wanted: Iterable<string>): Dependency[] {
  const needsCount = all.reduce((sum, { needs }) => sum + needs.length, 0);
  if (all.length > mostResources || needsCount > mostNeeds) return [];
  const direct = new Map(all.map(({ address, needs }) => [address, needs]));
  const names = [...direct.keys()];
  const positions = new Map(names.map((address, position) => [address, position]));
  const reach = createReach(direct, positions);
  const shown = new Set([...wanted].map(dropKeys).filter((address) => direct.has(address) && address.length <= longestAddress));
  const isShown = createBits(names.length);
  for (const address of shown) setBit(isShown, positions.get(address) ?? 0);
  const reduced: Dependency[] = [];
  // A removed resource can connect many others, so that few edges become very many.
  let room = mostNeeds;
  for (const address of shown) {
    const needs = listBits(reach(address), isShown);
    const indirect = createBits(names.length);
    // Dependencies of an indirect dependency are indirect as well, so they are not followed again.
    for (const need of needs) if (!hasBit(indirect, need)) addBits(indirect, reach(names[need] ?? ""));
    const left = needs.filter((need) => !hasBit(indirect, need)).map((need) => names[need] ?? "");
    room -= left.length;
    if (room < 0) return [];
    reduced.push({ address, needs: left.toSorted() });
  }
  return reduced;
}

/**
 * Returns a function that finds all direct and indirect dependencies of a resource. Sets of resources are bit sets, because the closure of a
 * large graph has millions of members.
 */
function createReach(
  direct: ReadonlyMap<string, readonly string[]>,
  positions: ReadonlyMap<string, number>,
): (address: string) => Uint32Array {
  const reached = new Map<string, Uint32Array>();
  const reach = (address: string): Uint32Array => {
    const before = reached.get(address);
    if (before !== undefined) return before;
    const found = createBits(direct.size);
    // The set is stored before it is complete, so that the recursion terminates if the graph contains a cycle. Resources in a cycle may
    // therefore lack some of their dependencies.
    reached.set(address, found);
    for (const need of direct.get(address) ?? []) {
      const position = positions.get(need);
      if (need === address || position === undefined) continue;
      setBit(found, position);
      addBits(found, reach(need));
    }
    clearBit(found, positions.get(address) ?? 0);
    return found;
  };
  return reach;
}

/** Removes the instance keys of `count` and `for_each` from an address. */
export function dropKeys(address: string): string {
  return address.replaceAll(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, "");
}
