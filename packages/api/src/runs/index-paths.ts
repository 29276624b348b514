import { splitPath } from "./split-path.ts";
import type { Work } from "./work.ts";

/** A set of attribute paths. */
export interface PathIndex {
  /** Returns whether the set contains this path, a path inside it, or a path that contains it. */
  overlaps(path: string): boolean;
  /** Returns whether the set contains this path or a path that contains it. */
  covers(path: string): boolean;
}

interface Node {
  isMember: boolean;
  inner: Map<string, Node> | undefined;
}

/** Creates a set of attribute paths. Its cost and the cost of a question grow with the number of segments, not with that of the paths. */
export function indexPaths(paths: readonly string[], work: Pick<Work, "add">): PathIndex {
  const root: Node = { isMember: false, inner: undefined };
  for (const path of paths) {
    const segments = splitPath(path);
    work.add(segments.length);
    let node = root;
    for (const segment of segments) {
      node.inner ??= new Map();
      const next: Node = node.inner.get(segment) ?? { isMember: false, inner: undefined };
      node.inner.set(segment, next);
      node = next;
    }
    node.isMember = true;
  }
  const find = (path: string): "covered" | "inside" | "apart" => {
    let node = root;
    for (const segment of splitPath(path)) {
      work.add(1);
      const next = node.inner?.get(segment);
      if (next === undefined) return "apart";
      if (next.isMember) return "covered";
      node = next;
    }
    return "inside";
  };
  return { overlaps: (path) => find(path) !== "apart", covers: (path) => find(path) === "covered" };
}
