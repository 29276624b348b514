import { openWireDoor, type WireDoor } from "../inventory/wire-door.ts";
import type { WireOptions } from "../inventory/wire-sender.ts";
import type { Mishap, Mishaps } from "./mishap.ts";

/**
 * Mishaps that people plan at the control plane, counted there for all agents; the tenant is the account's uid. What is planned is heeded
 * within a tenth of a second.
 */
export function createWireMishaps(options: WireOptions, door: WireDoor = openWireDoor(options)): Mishaps {
  return {
    take: async ({ tenant, operation, type }) => {
      if (!door.mayGoWrong(tenant)) return undefined;
      const due = await door.ask(tenant, { do: "take", operation, ...(type === undefined ? {} : { type }) });
      return (due ?? undefined) as Mishap | undefined;
    },
  };
}
