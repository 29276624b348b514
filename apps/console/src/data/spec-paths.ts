/** A JSON object whose fields are not known in advance. */
export type Tree = Readonly<Record<string, unknown>>;

/** Returns the value at a dotted path, such as `bucket.versioning`, or undefined if there is none. */
export function getPath(tree: Tree, path: string): unknown {
  return path.split(".").reduce<unknown>((at, key) => (isTree(at) && Object.hasOwn(at, key) ? at[key] : undefined), tree);
}

/**
 * Returns a copy of the object with the value at a dotted path set. Creates missing sections, and replaces values along the path that are
 * not sections.
 */
export function setPath(tree: Tree, path: string, value: unknown): Tree {
  const [key = "", ...below] = path.split(".");
  const own = Object.hasOwn(tree, key) ? tree[key] : undefined;
  return { ...tree, [key]: below.length === 0 ? value : setPath(isTree(own) ? own : {}, below.join("."), value) };
}

/** Returns a copy of the object without the value at a dotted path. Keeps sections that become empty. */
export function removePath(tree: Tree, path: string): Tree {
  const [key = "", ...below] = path.split(".");
  if (!Object.hasOwn(tree, key)) return tree;
  if (below.length === 0) return Object.fromEntries(Object.entries(tree).filter(([name]) => name !== key));
  const own = tree[key];
  return isTree(own) ? { ...tree, [key]: removePath(own, below.join(".")) } : tree;
}

/** Merges two objects recursively. If both have a value at the same path, the second wins unless both values are objects. */
export function mergeTrees(first: Tree, second: Tree): Tree {
  const merged = Object.entries(second).map(([key, value]): [string, unknown] => {
    const before = Object.hasOwn(first, key) ? first[key] : undefined;
    return [key, isTree(before) && isTree(value) ? mergeTrees(before, value) : value];
  });
  return { ...first, ...Object.fromEntries(merged) };
}

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
