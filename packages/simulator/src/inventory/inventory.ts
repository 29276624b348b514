import type { ValueMap } from "../values/value.ts";

/** What names a record within a tenant. */
export interface RecordKey {
  readonly type: string;
  readonly id: string;
}

/** One thing that exists in a simulated cloud; its attributes hold nothing unknown, so that they are plain JSON. */
export interface CloudRecord extends RecordKey {
  readonly attributes: ValueMap;
}

/**
 * What exists in the simulated cloud. Every call names its tenant, and an implementation never answers with another's records.
 * When a promise of a change resolves, the change is kept, also if the process is killed right after, and every later call sees it,
 * from whichever process.
 */
export interface Inventory {
  find(tenant: string, key: RecordKey): Promise<CloudRecord | undefined>;
  /** The records of one type, or all, in the order of type and id. */
  list(tenant: string, type?: string): Promise<readonly CloudRecord[]>;
  /** Adds a record; false when there is one of that key. */
  create(tenant: string, record: CloudRecord): Promise<boolean>;
  /** Adds or replaces a record. */
  put(tenant: string, record: CloudRecord): Promise<void>;
  /** Removes a record; false when there was none. */
  delete(tenant: string, key: RecordKey): Promise<boolean>;
}

/** Changes a record behind Terraform's back: drift. False when there is no such record. */
export async function changeRecord(inventory: Inventory, tenant: string, key: RecordKey, change: ValueMap): Promise<boolean> {
  const record = await inventory.find(tenant, key);
  if (record === undefined) return false;
  await inventory.put(tenant, { ...record, attributes: { ...record.attributes, ...change } });
  return true;
}
