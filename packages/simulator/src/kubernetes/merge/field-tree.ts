import { isSame, type FieldTree } from "../cluster/kube-object.ts";
import { findField, hasField, setField } from "../cluster/own-fields.ts";
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
  const fields = item as Record<string, unknown> | null | undefined;
  const identity: Record<string, unknown> = {};
  for (const key of keys.toSorted()) {
    const part = findField(fields, key) ?? fieldOf(schemas, items, key)?.default;
    if (part !== undefined) setField(identity, key, part);
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
  const before = indexChildren(schemas, schema, previous);
  for (const child of childrenOf(schemas, schema, next) ?? []) {
    const old = before.get(child.path);
    if (old === undefined) {
      const below = treeOf(schemas, child.schema, child.value);
      tree[child.path] = isWhole(below) ? {} : { ".": {}, ...below };
    } else if (!isComposite(schemas, child)) {
      if (!isSame(old.value, child.value)) tree[child.path] = {};
    } else {
      const below = changedTree(schemas, child.schema, old.value, child.value);
      // If parts of a composite value were only removed, the value has no changed fields.
      if (!isWhole(below)) tree[child.path] = below;
    }
  }
  return tree;
}

/** Returns the fields of `previous` that are missing or different in `next`. */
export function lostTree(schemas: Schemas, schema: Schema | undefined, previous: unknown, next: unknown): FieldTree {
  const tree: FieldTree = {};
  const after = indexChildren(schemas, schema, next);
  for (const child of childrenOf(schemas, schema, previous) ?? []) {
    const now = after.get(child.path);
    if (now === undefined) tree[child.path] = {};
    else if (!isComposite(schemas, child)) {
      if (!isSame(now.value, child.value)) tree[child.path] = {};
    } else {
      const below = lostTree(schemas, child.schema, child.value, now.value);
      if (!isWhole(below)) tree[child.path] = below;
    }
  }
  return tree;
}

/** Returns the leaves of a value that are missing or different in another value. */
export function differingTree(schemas: Schemas, schema: Schema | undefined, value: unknown, other: unknown): FieldTree {
  const tree: FieldTree = {};
  const others = indexChildren(schemas, schema, other);
  for (const child of childrenOf(schemas, schema, value) ?? []) {
    const found = others.get(child.path)?.value;
    if (isLeaf(schemas, child)) {
      if (!isSame(found, child.value)) tree[child.path] = {};
    } else {
      const below = differingTree(schemas, child.schema, child.value, found);
      if (!isEmptyTree(below)) tree[child.path] = below;
    }
  }
  return tree;
}

function indexChildren(schemas: Schemas, schema: Schema | undefined, value: unknown): Map<string, Child> {
  const index = new Map<string, Child>();
  for (const child of childrenOf(schemas, schema, value) ?? []) if (!index.has(child.path)) index.set(child.path, child);
  return index;
}

function isComposite(schemas: Schemas, { schema, value }: Child): boolean {
  return childrenOf(schemas, schema, value) !== undefined;
}

function isLeaf(schemas: Schemas, { schema, value }: Child): boolean {
  return (childrenOf(schemas, schema, value)?.length ?? 0) === 0;
}

/** Returns the union of two field sets. */
export function union(one: FieldTree, other: FieldTree): FieldTree {
  const out: FieldTree = { ...one };
  for (const [path, below] of Object.entries(other))
    setField(out, path, hasField(one, path) ? union(one[path] ?? {}, below) : below);
  return out;
}

/** Returns the first field set without the second. A leaf in the second removes everything below it. */
export function subtract(one: FieldTree, other: FieldTree): FieldTree {
  const out: FieldTree = {};
  for (const [path, below] of Object.entries(one)) {
    const taken = findField(other, path);
    if (taken === undefined) setField(out, path, below);
    else if (!isWhole(taken)) {
      const left = subtract(below, taken);
      if (!isWhole(left)) setField(out, path, left);
      else if (isWhole(below)) setField(out, path, below);
    }
  }
  return out;
}

/**
 * Combines field sets into one that contains all their fields. A leaf in any of the sets remains a leaf in the result, because its owner
 * owns everything below it.
 */
export function unionAll(trees: readonly FieldTree[]): FieldTree {
  const out: FieldTree = {};
  for (const tree of trees) addTree(out, tree);
  return out;
}

function addTree(out: FieldTree, tree: FieldTree): void {
  for (const [path, below] of Object.entries(tree)) {
    const known = findField(out, path);
    if (known === undefined) setField(out, path, isWhole(below) ? {} : unionAll([below]));
    else if (isWhole(below)) setField(out, path, {});
    else if (!isEmptyTree(known)) addTree(known, below);
  }
}

/** Returns the paths to the leaves of the first field set at which the second one also has a field. */
export function sharedPaths(leaves: FieldTree, tree: FieldTree, above: readonly string[] = []): string[][] {
  return Object.entries(tree).flatMap(([path, below]) => {
    const here = path === "." ? undefined : findField(leaves, path);
    if (here === undefined) return [];
    return isEmptyTree(here) ? [[...above, path]] : sharedPaths(here, below, [...above, path]);
  });
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
  for (const path in tree) if (path !== ".") return false;
  return true;
}

/** Returns whether a field set is empty. */
export function isEmptyTree(tree: FieldTree): boolean {
  for (const _ in tree) return false;
  return true;
}
