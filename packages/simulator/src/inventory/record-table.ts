import type { CloudRecord, RecordKey } from "./inventory.ts";

/** One change of a table; `apply` says whether it did anything. */
export type RecordChange =
  | { readonly kind: "create" | "put"; readonly record: CloudRecord }
  | { readonly kind: "delete"; readonly key: RecordKey };

/** The records of one tenant. */
export type RecordTable = Map<string, CloudRecord>;

/** Carries out a change. Records are copied, so that nobody can change one that is kept by changing one that was handed out. */
export function applyChange(table: RecordTable, change: RecordChange): boolean {
  if (change.kind === "delete") return table.delete(keyOf(change.key));
  const key = keyOf(change.record);
  if (change.kind === "create" && table.has(key)) return false;
  table.set(key, structuredClone(change.record));
  return true;
}

/** Finds a record. */
export function findIn(table: RecordTable, key: RecordKey): CloudRecord | undefined {
  const found = table.get(keyOf(key));
  return found === undefined ? undefined : structuredClone(found);
}

/** The records of one type, or all, in order. */
export function listIn(table: RecordTable, type?: string): CloudRecord[] {
  const entries = [...table].filter(([, record]) => type === undefined || record.type === type);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => structuredClone(record));
}

function keyOf({ type, id }: RecordKey): string {
  return `${type}\n${id}`;
}
