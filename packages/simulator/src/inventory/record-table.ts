import type { CloudRecord, RecordKey } from "./inventory.ts";

/** A change to a record table. */
export type RecordChange =
  | { readonly kind: "create" | "put"; readonly record: CloudRecord }
  | { readonly kind: "delete"; readonly key: RecordKey };

/** The records of one tenant, keyed by type and id. */
export type RecordTable = Map<string, CloudRecord>;

/** Applies a change and returns whether it had an effect. Copies records, so that callers cannot modify stored ones. */
export function applyChange(table: RecordTable, change: RecordChange): boolean {
  if (change.kind === "delete") return table.delete(keyOf(change.key));
  const key = keyOf(change.record);
  if (change.kind === "create" && table.has(key)) return false;
  table.set(key, structuredClone(change.record));
  return true;
}

/** Returns a copy of a record, or undefined if there is none. */
export function findIn(table: RecordTable, key: RecordKey): CloudRecord | undefined {
  const found = table.get(keyOf(key));
  return found === undefined ? undefined : structuredClone(found);
}

/** Returns copies of the records of one type, or of all records, ordered by type and id. */
export function listIn(table: RecordTable, type?: string): CloudRecord[] {
  const entries = [...table].filter(([, record]) => type === undefined || record.type === type);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => structuredClone(record));
}

function keyOf({ type, id }: RecordKey): string {
  return `${type}\n${id}`;
}
