import { StatusError, type StatusCause } from "../api/status-error.ts";
import { isSame, type FieldTree, type KubeObject, type ManagedFields } from "../cluster/kube-object.ts";
import { findField, hasField } from "../cluster/own-fields.ts";
import type { Schema, Schemas } from "../schema/schema.ts";
import { childrenOf, differingTree, isEmptyTree, pathText, sharedPaths, subtract, treeOf, unionAll } from "./field-tree.ts";
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
  const contested = differingTree(schemas, schema, config, liveFields);
  const conflicts = others.flatMap((entry) => sharedPaths(contested, entry.fieldsV1).map((path) => ({ entry, path })));
  if (conflicts.length > 0 && !force) throw conflictError(conflicts);

  const othersNow = others
    .map((entry) => ({ ...entry, fieldsV1: subtract(entry.fieldsV1, contested) }))
    .filter((entry) => !isEmptyTree(entry.fieldsV1));
  const othersFields = unionAll(othersNow.map((entry) => entry.fieldsV1));
  const orphaned = subtract(subtract(own?.fieldsV1 ?? {}, wanted), othersFields);
  const pruned = prune(schemas, schema, liveFields, orphaned, wanted, othersFields) as Record<string, unknown>;
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
    own !== undefined && isSame(own.fieldsV1, wanted) && isEmptyTree(contested)
      ? own
      : entryOf(manager, given.apiVersion, wanted);
  return { object, managedFields: isEmptyTree(wanted) ? othersNow : [...othersNow, entry] };
}

// Removes fields that no manager owns. A list item is removed when its last owner releases it.
function prune(
  schemas: Schemas,
  schema: Schema | undefined,
  value: unknown,
  gone: FieldTree,
  wanted: FieldTree,
  others: FieldTree,
): unknown {
  const children = childrenOf(schemas, schema, value);
  if (children === undefined || isEmptyTree(gone)) return value;
  const left: { path: string; value: unknown }[] = [];
  for (const child of children) {
    const lost = findField(gone, child.path);
    const isOwned = hasField(wanted, child.path) || hasField(others, child.path);
    if (lost === undefined) left.push(child);
    else if (isOwned || !isLeafOrItem(lost)) {
      const [wantedBelow, othersBelow] = [findField(wanted, child.path) ?? {}, findField(others, child.path) ?? {}];
      const rest = prune(schemas, child.schema, child.value, lost, wantedBelow, othersBelow);
      if (isOwned || !isBare(rest)) left.push({ path: child.path, value: rest });
    }
  }
  if (Array.isArray(value)) return left.map((child) => child.value);
  return Object.fromEntries(left.map((child) => [child.path.slice(2), child.value]));
}

function isLeafOrItem(tree: FieldTree): boolean {
  return isEmptyTree(tree) || hasField(tree, ".");
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

/** Maximum number of reported conflicts. The response should not be much larger than the request. */
const mostConflicts = 100;

function conflictError(conflicts: readonly { entry: ManagedFields; path: readonly string[] }[]): StatusError {
  const causes: StatusCause[] = conflicts.slice(0, mostConflicts).map(({ entry, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${JSON.stringify(entry.manager)}${entry.subresource ? ` with subresource "${entry.subresource}"` : ""}${entry.operation === "Update" ? ` using ${entry.apiVersion}` : ""}`,
    field: pathText(path),
  }));
  const texts = causes.map(({ message, field }) => `${message}: ${field}`);
  const list = texts.length === 1 ? texts[0] : `${conflicts.length} conflicts: ${texts.join(", ")}`;
  return new StatusError(409, "Conflict", `Apply failed with ${texts.length === 1 ? "1 conflict: " : ""}${list}`, { causes });
}
