import type { Listen } from "./addresses.ts";
import { openApiHost } from "./open-api-host.ts";
import { openWhenFree } from "./open-when-free.ts";
import type { ProcessDeps } from "./run-process.ts";
import { createStoredInventory } from "./stored-inventory.ts";

/** Serves the simulated cloud APIs until the signal is aborted. Waits while another replica serves them. */
export async function serveClouds(deps: ProcessDeps, listen: Listen | undefined, signal: AbortSignal): Promise<void> {
  const { log, changes } = deps;
  const inventory = createStoredInventory(deps);
  const open = (): ReturnType<typeof openApiHost> => openApiHost(deps, { listen, inventory, onChange: () => changes.notify() });
  const host = await openWhenFree(deps, "the simulated cloud APIs", open, signal);
  if (host === undefined) return;
  log.info({ address: host.secureAddress }, "serving the simulated cloud APIs");
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await host.close();
}
