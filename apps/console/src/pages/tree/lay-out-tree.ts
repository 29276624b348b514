import type { LiveState } from "../../data/live-store.ts";
import { childrenOf, type Placed } from "../../data/subtree.ts";

/** An entity at its place in the picture. */
export interface TreeNode extends Placed {
  readonly x: number;
  readonly y: number;
  readonly parentUid: string | undefined;
  /** How many below it are not drawn. */
  readonly folded: number;
}

const columnWidth = 270;
const rowHeight = 86;
/** More children than this are not drawn one by one: nobody could read them. */
const mostChildren = 40;

/** Places a project's accounts and everything below them from left to right, children beside their parents. */
export function layOutTree(kinds: LiveState["kinds"]): TreeNode[] {
  const nodes: TreeNode[] = [];
  let nextRow = 0;
  const place = (placed: Placed, depth: number, parentUid: string | undefined): number => {
    const all = childrenOf(kinds, placed);
    const children = all.slice(0, mostChildren);
    const uid = placed.entity.metadata.uid;
    const rows = children.map((child) => place(child, depth + 1, uid));
    const row = rows.length === 0 ? nextRow++ : ((rows[0] ?? 0) + (rows.at(-1) ?? 0)) / 2;
    nodes.push({ ...placed, x: depth * columnWidth, y: row * rowHeight, parentUid, folded: all.length - children.length });
    return row;
  };
  const accounts = [...(kinds.Account?.values() ?? [])].toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  for (const entity of accounts) place({ kind: "Account", entity }, 0, undefined);
  return nodes;
}
