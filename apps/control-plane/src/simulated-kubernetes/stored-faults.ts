import type { SimulatedFault, SimulatedFaults } from "@cloudwright/simulator";
import { askSimulatedCloud, type Pool } from "@cloudwright/store";

/** Creates simulated faults that are stored in the database. Tenants are account uids. */
export function createStoredFaults({ pool }: { readonly pool: Pool }): SimulatedFaults {
  return {
    async take({ tenant, operation, type }) {
      const due = await askSimulatedCloud(pool, tenant, { do: "take", operation, ...(type === undefined ? {} : { type }) });
      return (due ?? undefined) as SimulatedFault | undefined;
    },
  };
}
