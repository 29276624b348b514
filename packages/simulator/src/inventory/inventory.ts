import type { ValueMap } from "../values/value.ts";

/** The key of a record within a tenant. */
export interface RecordKey {
  readonly type: string;
  readonly id: string;
}

/** A resource of a simulated cloud. Its attributes contain no unknown values, so they are plain JSON. */
export interface CloudRecord extends RecordKey {
  readonly attributes: ValueMap;
}

/**
 * The records of the simulated clouds. Every call names its tenant and never returns another tenant's records. When the promise of a
 * change resolves, the change survives a kill of the process, and every later call in any process sees it.
 */
export interface Inventory {
  find(tenant: string, key: RecordKey): Promise<CloudRecord | undefined>;
  /** Returns the records of one type, or all records, ordered by type and id. */
  list(tenant: string, type?: string): Promise<readonly CloudRecord[]>;
  /** Adds a record. Returns false if the key is taken. */
  create(tenant: string, record: CloudRecord): Promise<boolean>;
  /** Adds or replaces a record. */
  put(tenant: string, record: CloudRecord): Promise<void>;
  /** Deletes a record. Returns false if there was none. */
  delete(tenant: string, key: RecordKey): Promise<boolean>;
}

/** Changes a record without Terraform's knowledge, to cause drift. Returns false if there is no such record. */
export async function changeRecord(inventory: Inventory, tenant: string, key: RecordKey, change: ValueMap): Promise<boolean> {
  const record = await inventory.find(tenant, key);
  if (record === undefined) return false;
  await inventory.put(tenant, { ...record, attributes: { ...record.attributes, ...change } });
  return true;
}
