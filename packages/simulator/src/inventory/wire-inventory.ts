import type { CloudRecord, Inventory } from "./inventory.ts";
import { listPages } from "./list-pages.ts";
import { openWireConnection, type WireConnection } from "./wire-connection.ts";
import type { WireOptions } from "./wire-sender.ts";

/** Creates a client for the inventory that the control plane hosts for all agents. The tenant is the account's uid. */
export function createWireInventory(options: WireOptions, connection: WireConnection = openWireConnection(options)): Inventory {
  return {
    find: async (tenant, { type, id }) =>
      ((await connection.ask(tenant, { do: "find", type, id })) ?? undefined) as CloudRecord | undefined,
    list: (tenant, type) =>
      listPages((after) => connection.ask(tenant, { do: "list", ...(type === undefined ? {} : { type }), after })),
    create: async (tenant, { type, id, attributes }) =>
      (await connection.ask(tenant, { do: "create", type, id, attributes })) === true,
    put: async (tenant, { type, id, attributes }) => void (await connection.ask(tenant, { do: "put", type, id, attributes })),
    delete: async (tenant, { type, id }) => (await connection.ask(tenant, { do: "delete", type, id })) === true,
  };
}
