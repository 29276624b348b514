import { openWireConnection, type WireConnection } from "../inventory/wire-connection.ts";
import type { WireOptions } from "../inventory/wire-sender.ts";
import type { SimulatedFault, SimulatedFaults } from "./simulated-fault.ts";

/**
 * Fetches simulated faults from the control plane, which counts matching calls across all agents. The tenant is the account's uid. A new
 * fault takes effect within a tenth of a second.
 */
export function createWireFaults(
  options: WireOptions,
  connection: WireConnection = openWireConnection(options),
): SimulatedFaults {
  return {
    take: async ({ tenant, operation, type }) => {
      if (!connection.mayHaveFaults(tenant)) return undefined;
      const due = await connection.ask(tenant, { do: "take", operation, ...(type === undefined ? {} : { type }) });
      return (due ?? undefined) as SimulatedFault | undefined;
    },
  };
}
