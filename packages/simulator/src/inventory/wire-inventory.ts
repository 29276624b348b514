import type { CloudRecord, Inventory } from "./inventory.ts";
import { openWireDoor, type WireDoor } from "./wire-door.ts";
import type { WireOptions } from "./wire-sender.ts";

/** The cloud that the control plane keeps for all agents; the tenant is the account's uid. */
export function createWireInventory(options: WireOptions, door: WireDoor = openWireDoor(options)): Inventory {
  return {
    find: async (tenant, { type, id }) =>
      ((await door.ask(tenant, { do: "find", type, id })) ?? undefined) as CloudRecord | undefined,
    list: async (tenant, type) =>
      (await door.ask(tenant, { do: "list", ...(type === undefined ? {} : { type }) })) as readonly CloudRecord[],
    create: async (tenant, { type, id, attributes }) => (await door.ask(tenant, { do: "create", type, id, attributes })) === true,
    put: async (tenant, { type, id, attributes }) => void (await door.ask(tenant, { do: "put", type, id, attributes })),
    delete: async (tenant, { type, id }) => (await door.ask(tenant, { do: "delete", type, id })) === true,
  };
}
