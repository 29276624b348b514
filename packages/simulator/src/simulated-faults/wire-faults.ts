import { openWireConnection, type WireConnection } from "../inventory/wire-connection.ts";
import type { WireOptions } from "../inventory/wire-sender.ts";
import type { SimulatedFault, SimulatedFaults } from "./simulated-fault.ts";

/**
 * SimulatedFaults that people plan at the control plane, counted there for all agents; the tenant is the account's uid. What is planned is heeded
 * within a tenth of a second.
 */
export function createWireFaults(
  options: WireOptions,
  connection: WireConnection = openWireConnection(options),
): SimulatedFaults {
  return {
    take: async ({ tenant, operation, type }) => {
      if (!connection.mayGoWrong(tenant)) return undefined;
      const due = await connection.ask(tenant, { do: "take", operation, ...(type === undefined ? {} : { type }) });
      return (due ?? undefined) as SimulatedFault | undefined;
    },
  };
}
