import type { CloudRecord } from "../inventory/inventory.ts";
import { createHookContext } from "../provider/scope.ts";
import type { ApiCall } from "./api-service.ts";

/** Options for reading records through an API. */
export interface ReadOptions {
  /** Whether the service hides new resources until the cloud's lag has elapsed. */
  readonly isEventual?: boolean;
}

/** Returns the records of one type as the cloud reports them. */
export async function listRecords(call: ApiCall, type: string, options: ReadOptions = {}): Promise<readonly CloudRecord[]> {
  const records = await call.scope.inventory.list(call.scope.tenant, type);
  return Promise.all(records.filter((record) => isVisible(call, record, options)).map((record) => toReported(call, record)));
}

/** Returns a record as the cloud reports it, or undefined if it does not exist. */
export async function findRecord(
  call: ApiCall,
  type: string,
  id: string,
  options: ReadOptions = {},
): Promise<CloudRecord | undefined> {
  const record = id === "" ? undefined : await call.scope.inventory.find(call.scope.tenant, { type, id });
  return record === undefined || !isVisible(call, record, options) ? undefined : toReported(call, record);
}

function isVisible({ scope, conditions }: ApiCall, record: CloudRecord, { isEventual = false }: ReadOptions): boolean {
  return !isEventual || scope.lag.remainingMs(scope.tenant, record, conditions.lagMs * conditions.timeScale) === 0;
}

async function toReported({ scope, conditions }: ApiCall, record: CloudRecord): Promise<CloudRecord> {
  const hooks = scope.definition.resources?.[record.type];
  if (hooks?.read === undefined) return record;
  return { ...record, attributes: { ...record.attributes, ...(await hooks.read(record, createHookContext(scope, conditions))) } };
}
