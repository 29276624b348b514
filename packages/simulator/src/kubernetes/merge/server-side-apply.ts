import { StatusError, type StatusCause } from "../api/status-error.ts";
import { isSame, type FieldTree, type KubeObject, type ManagedFields } from "../cluster/kube-object.ts";
import type { Schema, Schemas } from "../schema/schema.ts";
import { childrenOf, hasPath, isEmptyTree, leavesOf, pathText, subtract, treeOf, union } from "./field-tree.ts";
import { entryOf, isOf, ownable, type Manager } from "./managed-fields.ts";

/** The result of a server-side apply. */
export interface Applied {
  readonly object: KubeObject;
  readonly managedFields: ManagedFields[];
}

/**
 * Performs a server-side apply. Sets the given fields. Removes fields that this manager no longer sets and no other manager owns. Changing
 * a field that another manager owns is a conflict unless forced.
 */
export function serverSideApply(
  schemas: Schemas,
  schema: Schema,
  live: KubeObject | undefined,
  given: KubeObject,
  manager: Manager,
  force: boolean,
): Applied {
  const config = ownable(given);
  const wanted = treeOf(schemas, schema, config);
  const entries = live?.metadata.managedFields ?? [];
  const own = entries.find((entry) => isOf(entry, manager, given.apiVersion));
  const others = entries.filter((entry) => entry !== own);
  const liveFields = live === undefined ? {} : ownable(live);
  const contested = leavesOf(wanted).filter(
    (path) => !isSame(valueAt(schemas, schema, liveFields, path), valueAt(schemas, schema, config, path)),
  );
  const conflicts = others.flatMap((entry) =>
    contested.filter((path) => hasPath(entry.fieldsV1, path)).map((path) => ({ entry, path })),
  );
  if (conflicts.length > 0 && !force) throw conflictError(conflicts);

  const contestedTree = contested.reduce<FieldTree>((tree, path) => union(tree, nest(path)), {});
  const othersNow = others
    .map((entry) => ({ ...entry, fieldsV1: subtract(entry.fieldsV1, contestedTree) }))
    .filter((entry) => !isEmptyTree(entry.fieldsV1));
  const dropped = subtract(own?.fieldsV1 ?? {}, wanted);
  const orphaned = othersNow.reduce((tree, entry) => subtract(tree, entry.fieldsV1), dropped);
  const pruned = prune(schemas, schema, liveFields, orphaned, wanted, othersNow) as Record<string, unknown>;
  const merged = merge(schemas, schema, pruned, config) as Record<string, unknown> & { metadata?: object };
  const object = {
    apiVersion: given.apiVersion,
    kind: given.kind,
    ...merged,
    metadata: { ...live?.metadata, ...given.metadata, ...merged.metadata },
  };
  for (const key of ["labels", "annotations", "finalizers", "ownerReferences"] as const) {
    if ((merged.metadata as Record<string, unknown> | undefined)?.[key] === undefined) delete object.metadata[key];
  }
  const entry =
    own !== undefined && isSame(own.fieldsV1, wanted) && contested.length === 0
      ? own
      : entryOf(manager, given.apiVersion, wanted);
  return { object, managedFields: isEmptyTree(wanted) ? othersNow : [...othersNow, entry] };
}

function valueAt(schemas: Schemas, schema: Schema | undefined, value: unknown, path: readonly string[]): unknown {
  let at: { value: unknown; schema: Schema | undefined } | undefined = { value, schema };
  for (const step of path) {
    at = childrenOf(schemas, at.schema, at.value)?.find((child) => child.path === step);
    if (at === undefined) return undefined;
  }
  return at.value;
}

// Removes fields that no manager owns. A list item is removed when its last owner releases it.
function prune(
  schemas: Schemas,
  schema: Schema | undefined,
  value: unknown,
  gone: FieldTree,
  wanted: FieldTree,
  others: readonly ManagedFields[],
): unknown {
  const children = childrenOf(schemas, schema, value);
  if (children === undefined || isEmptyTree(gone)) return value;
  const otherTrees = others.map((entry) => entry.fieldsV1);
  return pruneChildren(schemas, value, children, gone, wanted, otherTrees);
}

function pruneChildren(
  schemas: Schemas,
  value: unknown,
  children: readonly { path: string; value: unknown; schema: Schema | undefined }[],
  gone: FieldTree,
  wanted: FieldTree,
  others: readonly FieldTree[],
): unknown {
  const left: { path: string; value: unknown }[] = [];
  for (const child of children) {
    const lost = gone[child.path];
    const isOwned = child.path in wanted || others.some((tree) => child.path in tree);
    if (lost === undefined) left.push(child);
    else if (isOwned || !isLeafOrItem(lost)) {
      const below = childrenOf(schemas, child.schema, child.value);
      const deeper = others.map((tree) => tree[child.path] ?? {});
      const rest =
        below === undefined ? child.value : pruneChildren(schemas, child.value, below, lost, wanted[child.path] ?? {}, deeper);
      if (isOwned || !isBare(rest)) left.push({ path: child.path, value: rest });
    }
  }
  if (Array.isArray(value)) return left.map((child) => child.value);
  return Object.fromEntries(left.map((child) => [child.path.slice(2), child.value]));
}

function isLeafOrItem(tree: FieldTree): boolean {
  return isEmptyTree(tree) || "." in tree;
}

function isBare(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function merge(schemas: Schemas, schema: Schema | undefined, live: unknown, given: unknown): unknown {
  const parts = childrenOf(schemas, schema, given);
  const current = childrenOf(schemas, schema, live);
  if (parts === undefined || current === undefined) return given;
  const known = new Map(current.map((child) => [child.path, child.value]));
  for (const part of parts)
    known.set(part.path, known.has(part.path) ? merge(schemas, part.schema, known.get(part.path), part.value) : part.value);
  if (Array.isArray(given)) return [...known.values()];
  return Object.fromEntries([...known].map(([path, value]) => [path.slice(2), value]));
}

function nest(path: readonly string[]): FieldTree {
  return path.reduceRight<FieldTree>((below, step) => ({ [step]: below }), {});
}

function conflictError(conflicts: readonly { entry: ManagedFields; path: readonly string[] }[]): StatusError {
  const causes: StatusCause[] = conflicts.map(({ entry, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${JSON.stringify(entry.manager)}${entry.subresource ? ` with subresource "${entry.subresource}"` : ""}${entry.operation === "Update" ? ` using ${entry.apiVersion}` : ""}`,
    field: pathText(path),
  }));
  const texts = causes.map(({ message, field }) => `${message}: ${field}`);
  const list = texts.length === 1 ? texts[0] : `${texts.length} conflicts: ${texts.join(", ")}`;
  return new StatusError(409, "Conflict", `Apply failed with ${texts.length === 1 ? "1 conflict: " : ""}${list}`, { causes });
}
