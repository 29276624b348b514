import type { StateAccess } from "@cloudwright/deployer";
import type { AgentConfig } from "@cloudwright/platform";
import {
  createFileFaults,
  createFileInventory,
  createWireClusters,
  createWireFaults,
  createWireInventory,
  createWireTrail,
  openWireConnection,
  type Inventory,
  type SimulatedFaults,
  type WireClusters,
  type WireTrail,
} from "@cloudwright/simulator";
import { join } from "node:path";

/** The records of simulated accounts, opened for one task. */
export interface SimulatedStore {
  readonly inventory: Inventory;
  readonly faults: SimulatedFaults;
  /** Undefined if nothing serves the Kubernetes APIs of simulated clusters. */
  readonly clusters?: WireClusters;
  /** Undefined if the cloud does not keep an audit trail. */
  readonly trail?: WireTrail;
  close(): void;
}

/**
 * Returns a function that opens the records of simulated accounts. By default the control plane keeps them, so that all agents see the same
 * clouds. An agent can also keep them in files, so that its clouds work while the control plane is down.
 */
export function createSimulatedStores({
  directory,
  simulator,
}: Pick<AgentConfig, "directory" | "simulator">): (access: StateAccess) => SimulatedStore {
  return simulator === "files" ? createFiles(join(directory, "simulated")) : openWire;
}

/** The connection stays open when a task is cancelled, because creations in progress still finish and must be recorded. */
function openWire(access: StateAccess): SimulatedStore {
  const closed = new AbortController();
  const options = { ...access, signal: closed.signal };
  const connection = openWireConnection(options);
  return {
    inventory: createWireInventory(options, connection),
    faults: createWireFaults(options, connection),
    clusters: createWireClusters(options),
    trail: createWireTrail(connection),
    close: () => closed.abort(),
  };
}

function createFiles(folder: string): () => SimulatedStore {
  const inventory = createFileInventory(join(folder, "inventory"));
  const faults = createFileFaults(join(folder, "mishaps.json"));
  return () => ({ inventory, faults, close: () => undefined });
}
