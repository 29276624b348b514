import type { ValueMap } from "../values/value.ts";

/** The key of a record within a tenant. */
export interface RecordKey {
  readonly type: string;
  readonly id: string;
}

/** A resource in a simulated cloud. Its attributes are plain JSON, because they contain no unknown values. */
export interface CloudRecord extends RecordKey {
  readonly attributes: ValueMap;
}

/**
 * Stores the resources of simulated clouds. No call returns another tenant's records. Once the promise of a change resolves, the change
 * survives a crash, and later calls in any process see it.
 */
export interface Inventory {
  find(tenant: string, key: RecordKey): Promise<CloudRecord | undefined>;
  /** Returns the records of one type, or all records, ordered by type and id. */
  list(tenant: string, type?: string): Promise<readonly CloudRecord[]>;
  /** Adds a record. Returns false if the key is already taken. */
  create(tenant: string, record: CloudRecord): Promise<boolean>;
  /** Adds or replaces a record. */
  put(tenant: string, record: CloudRecord): Promise<void>;
  /** Deletes a record. Returns false if it does not exist. */
  delete(tenant: string, key: RecordKey): Promise<boolean>;
}

/** Changes a record without Terraform's knowledge, to cause drift. Returns false if the record does not exist. */
export async function changeRecord(inventory: Inventory, tenant: string, key: RecordKey, change: ValueMap): Promise<boolean> {
  const record = await inventory.find(tenant, key);
  if (record === undefined) return false;
  await inventory.put(tenant, { ...record, attributes: { ...record.attributes, ...change } });
  return true;
}
