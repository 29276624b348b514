import type { SimulatedFault, SimulatedFaults } from "@cloudwright/simulator";
import { askSimulatedCloud, type Pool } from "@cloudwright/store";

/** Provides access to the simulated faults in the database. A tenant is identified by the uid of its account. */
export function createStoredFaults({ pool }: { readonly pool: Pool }): SimulatedFaults {
  return {
    async take({ tenant, operation, type }) {
      const due = await askSimulatedCloud(pool, tenant, { do: "take", operation, ...(type === undefined ? {} : { type }) });
      return (due ?? undefined) as SimulatedFault | undefined;
    },
  };
}
