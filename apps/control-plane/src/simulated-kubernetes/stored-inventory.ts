import { listPages, type CloudRecord, type Inventory } from "@cloudwright/simulator";
import { askSimulatedCloud, type Pool, type SimulatedAct } from "@cloudwright/store";

/** Creates an inventory of simulated resources that is backed by the database. A tenant is identified by the uid of its account. */
export function createStoredInventory({ pool }: { readonly pool: Pool }): Inventory {
  const ask = (tenant: string, act: SimulatedAct): Promise<unknown> => askSimulatedCloud(pool, tenant, act);
  return {
    find: async (tenant, { type, id }) => (await ask(tenant, { do: "find", type, id })) as CloudRecord | undefined,
    list: (tenant, type) => listPages((after) => ask(tenant, { do: "list", ...(type === undefined ? {} : { type }), after })),
    create: async (tenant, { type, id, attributes }) => (await ask(tenant, { do: "create", type, id, attributes })) === true,
    put: async (tenant, { type, id, attributes }) => void (await ask(tenant, { do: "put", type, id, attributes })),
    delete: async (tenant, { type, id }) => (await ask(tenant, { do: "delete", type, id })) === true,
  };
}
