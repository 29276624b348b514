import { timeText, type FieldTree, type KubeObject, type ManagedFields } from "../cluster/kube-object.ts";
import type { Schema, Schemas } from "../schema/schema.ts";
import { changedTree, isEmptyTree, lostTree, subtract, union } from "./field-tree.ts";

/** Who changed an object, how, and when. */
export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly subresource?: string;
  readonly nowMs: number;
}

/** Updates field ownership after a change other than apply. The author takes ownership of the changed fields from other managers. */
export function trackUpdate(
  schemas: Schemas,
  schema: Schema,
  previous: KubeObject | undefined,
  next: KubeObject,
  manager: Manager,
): ManagedFields[] {
  // For a new object, only the contents of these sections count as changes, not the sections themselves.
  const before = previous === undefined ? { metadata: {}, spec: {}, status: {} } : ownable(previous);
  const after = ownable(next);
  const changed = changedTree(schemas, schema, before, after);
  const lost = lostTree(schemas, schema, before, after);
  const entries = next.metadata.managedFields ?? [];
  const own = entries.find((entry) => isOf(entry, manager, next.apiVersion));
  const taken = union(lost, changed);
  const others = entries
    .filter((entry) => entry !== own)
    .map((entry) => ({ ...entry, fieldsV1: subtract(entry.fieldsV1, taken) }))
    .filter((entry) => !isEmptyTree(entry.fieldsV1));
  const mine = union(own === undefined ? {} : subtract(own.fieldsV1, lost), changed);
  if (isEmptyTree(mine)) return others;
  if (own !== undefined && isEmptyTree(changed)) return [...others, { ...own, fieldsV1: mine }];
  return [...others, entryOf(manager, next.apiVersion, mine)];
}

/** Creates a manager's entry in `managedFields`. */
export function entryOf(manager: Manager, apiVersion: string, fieldsV1: FieldTree): ManagedFields {
  const { name, operation, subresource, nowMs } = manager;
  const entry = { manager: name, operation, apiVersion, time: timeText(nowMs), fieldsType: "FieldsV1" as const, fieldsV1 };
  return subresource === undefined ? entry : { ...entry, subresource };
}

/** Returns whether an entry belongs to this manager. */
export function isOf(entry: ManagedFields, manager: Manager, apiVersion: string): boolean {
  return (
    entry.manager === manager.name &&
    entry.operation === manager.operation &&
    entry.apiVersion === apiVersion &&
    entry.subresource === manager.subresource
  );
}

/** Returns an object without the fields that the server owns. */
export function ownable(object: KubeObject): Record<string, unknown> {
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  const {
    name: _1,
    namespace: _2,
    uid: _3,
    resourceVersion: _4,
    generation: _5,
    creationTimestamp: _6,
    managedFields: _7,
    deletionTimestamp: _8,
    deletionGracePeriodSeconds: _9,
    ...owned
  } = metadata;
  return { ...(Object.keys(owned).length > 0 && { metadata: owned }), ...rest };
}
