import type { Inventory } from "./inventory.ts";
import { applyChange, findIn, listIn, type RecordTable } from "./record-table.ts";

/** Creates an inventory in memory, for use within one process. */
export function createMemoryInventory(): Inventory {
  const tables = new Map<string, RecordTable>();
  const tableOf = (tenant: string): RecordTable => {
    const table = tables.get(tenant) ?? new Map();
    tables.set(tenant, table);
    return table;
  };
  return {
    find: async (tenant, key) => findIn(tableOf(tenant), key),
    list: async (tenant, type) => listIn(tableOf(tenant), type),
    create: async (tenant, record) => applyChange(tableOf(tenant), { kind: "create", record }),
    put: async (tenant, record) => void applyChange(tableOf(tenant), { kind: "put", record }),
    delete: async (tenant, key) => applyChange(tableOf(tenant), { kind: "delete", key }),
  };
}
