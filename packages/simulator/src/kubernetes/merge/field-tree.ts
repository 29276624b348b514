import { isSame, type FieldTree } from "../cluster/kube-object.ts";
import { fieldOf, listKeysOf, type Schema, type Schemas } from "../schema/schema.ts";

/** A part of a value, with its path element and schema. */
interface Child {
  readonly path: string;
  readonly value: unknown;
  readonly schema: Schema | undefined;
}

/** Returns the parts of a value that can have separate owners, or undefined if it is owned as a whole. */
export function childrenOf(schemas: Schemas, schema: Schema | undefined, value: unknown): Child[] | undefined {
  const resolved = schemas.resolve(schema);
  if (Array.isArray(value)) {
    const listType = schema?.["x-kubernetes-list-type"] ?? resolved?.["x-kubernetes-list-type"];
    if (listType === "set") return value.map((item) => ({ path: `v:${JSON.stringify(item)}`, value: item, schema: undefined }));
    const keys = listKeysOf(schema) ?? listKeysOf(resolved);
    if (keys === undefined) return undefined;
    const items = resolved?.items;
    return value.map((item) => ({ path: itemPath(schemas, items, keys, item), value: item, schema: items }));
  }
  if (typeof value !== "object" || value === null) return undefined;
  if ((schema?.["x-kubernetes-map-type"] ?? resolved?.["x-kubernetes-map-type"]) === "atomic") return undefined;
  return Object.entries(value).map(([key, item]) => ({ path: `f:${key}`, value: item, schema: fieldOf(schemas, schema, key) }));
}

function itemPath(schemas: Schemas, items: Schema | undefined, keys: readonly string[], item: unknown): string {
  const fields = item as Record<string, unknown> | null;
  const identity: Record<string, unknown> = {};
  for (const key of keys.toSorted()) {
    const part = fields?.[key] ?? fieldOf(schemas, items, key)?.default;
    if (part !== undefined) identity[key] = part;
  }
  return `k:${JSON.stringify(identity)}`;
}

/** Returns all fields of a value. */
export function treeOf(schemas: Schemas, schema: Schema | undefined, value: unknown): FieldTree {
  const tree: FieldTree = {};
  for (const child of childrenOf(schemas, schema, value) ?? []) {
    const below = treeOf(schemas, child.schema, child.value);
    tree[child.path] = child.path.startsWith("k:") ? { ".": {}, ...below } : below;
  }
  return tree;
}

/** Returns the fields that are new or different in `next`. */
export function changedTree(schemas: Schemas, schema: Schema | undefined, previous: unknown, next: unknown): FieldTree {
  const tree: FieldTree = {};
  const before = new Map(childrenOf(schemas, schema, previous)?.map((child) => [child.path, child]));
  for (const child of childrenOf(schemas, schema, next) ?? []) {
    const old = before.get(child.path);
    if (old === undefined) {
      const below = treeOf(schemas, child.schema, child.value);
      tree[child.path] = isWhole(below) ? {} : { ".": {}, ...below };
    } else if (!isSame(old.value, child.value)) {
      const below = changedTree(schemas, child.schema, old.value, child.value);
      // A composite value that only lost parts has no changed fields.
      if (!isWhole(below) || childrenOf(schemas, child.schema, child.value) === undefined) tree[child.path] = below;
    }
  }
  return tree;
}

/** Returns the fields of `previous` that are missing or different in `next`. */
export function lostTree(schemas: Schemas, schema: Schema | undefined, previous: unknown, next: unknown): FieldTree {
  const tree: FieldTree = {};
  const after = new Map(childrenOf(schemas, schema, next)?.map((child) => [child.path, child]));
  for (const child of childrenOf(schemas, schema, previous) ?? []) {
    const now = after.get(child.path);
    if (now === undefined) tree[child.path] = {};
    else if (!isSame(now.value, child.value)) {
      const below = lostTree(schemas, child.schema, child.value, now.value);
      if (!isWhole(below) || childrenOf(schemas, child.schema, child.value) === undefined) tree[child.path] = below;
    }
  }
  return tree;
}

/** Returns the union of two field sets. */
export function union(one: FieldTree, other: FieldTree): FieldTree {
  const out: FieldTree = { ...one };
  for (const [path, below] of Object.entries(other)) out[path] = path in one ? union(one[path] ?? {}, below) : below;
  return out;
}

/** Returns the first field set without the second. A leaf in the second removes everything below it. */
export function subtract(one: FieldTree, other: FieldTree): FieldTree {
  const out: FieldTree = {};
  for (const [path, below] of Object.entries(one)) {
    const taken = other[path];
    if (taken === undefined) out[path] = below;
    else if (!isWhole(taken)) {
      const left = subtract(below, taken);
      if (!isWhole(left)) out[path] = left;
      else if (isWhole(below)) out[path] = below;
    }
  }
  return out;
}

/** Returns the paths to the leaves of a field set. */
export function leavesOf(tree: FieldTree, above: readonly string[] = []): string[][] {
  return Object.entries(tree).flatMap(([path, below]) => {
    if (path === ".") return [];
    const here = [...above, path];
    const deeper = leavesOf(below, here);
    return deeper.length > 0 ? deeper : [here];
  });
}

/** Returns whether a field set contains a path or a field below it. */
export function hasPath(tree: FieldTree, path: readonly string[]): boolean {
  let at: FieldTree | undefined = tree;
  for (const step of path) at = at?.[step];
  return at !== undefined;
}

/** Renders a path for conflict messages, such as `.spec.containers[name="app"].image`. */
export function pathText(path: readonly string[]): string {
  return path
    .map((step) => {
      if (step.startsWith("f:")) return `.${step.slice(2)}`;
      if (step.startsWith("v:")) return `[=${step.slice(2)}]`;
      const keys = Object.entries(JSON.parse(step.slice(2)) as Record<string, unknown>);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
    })
    .join("");
}

function isWhole(tree: FieldTree): boolean {
  return Object.keys(tree).every((path) => path === ".");
}

/** Returns whether a field set is empty. */
export function isEmptyTree(tree: FieldTree): boolean {
  return Object.keys(tree).length === 0;
}
