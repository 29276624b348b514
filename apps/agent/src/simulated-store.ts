import type { StateAccess } from "@cloudwright/deployer";
import type { AgentConfig } from "@cloudwright/platform";
import {
  createFileFaults,
  createFileInventory,
  createWireClusters,
  createWireFaults,
  createWireInventory,
  openWireConnection,
  type Inventory,
  type SimulatedFaults,
  type WireClusters,
} from "@cloudwright/simulator";
import { join } from "node:path";

/** The records of simulated accounts, open for the time of one task. */
export interface SimulatedStore {
  readonly inventory: Inventory;
  readonly faults: SimulatedFaults;
  /** Absent if the Kubernetes APIs of simulated clusters are not served. */
  readonly clusters?: WireClusters;
  close(): void;
}

/**
 * Returns a function that opens the records of simulated accounts with a task's access to its state. The control plane keeps the records, so
 * that all agents see the same cloud. An agent can keep them in files instead, so that its cloud works while the control plane is down.
 */
export function createSimulatedStores({
  directory,
  simulator,
}: Pick<AgentConfig, "directory" | "simulator">): (access: StateAccess) => SimulatedStore {
  return simulator === "files" ? createFiles(join(directory, "simulated")) : openWire;
}

/** The connection stays open when a task is cancelled: a creation in progress finishes and must be recorded. */
function openWire(access: StateAccess): SimulatedStore {
  const closed = new AbortController();
  const options = { ...access, signal: closed.signal };
  const connection = openWireConnection(options);
  return {
    inventory: createWireInventory(options, connection),
    faults: createWireFaults(options, connection),
    clusters: createWireClusters(options),
    close: () => closed.abort(),
  };
}

function createFiles(folder: string): () => SimulatedStore {
  const inventory = createFileInventory(join(folder, "inventory"));
  const faults = createFileFaults(join(folder, "mishaps.json"));
  return () => ({ inventory, faults, close: () => undefined });
}
