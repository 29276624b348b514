import type { OpenCloud, OwnedThing, StateAccess } from "@cloudwright/deployer";
import { Fault, type AgentConfig } from "@cloudwright/platform";
import {
  awsProvider,
  countObjects,
  createAwsProvider,
  createFileInventory,
  createFileFaults,
  createWireClusters,
  createWireInventory,
  createWireFaults,
  listTagged,
  openWireConnection,
  simProvider,
  simulatorFaults,
  startResidentProvider,
  type CloudRecord,
  type Inventory,
  type SimulatedFaults,
  type ResidentOptions,
  type ResidentProvider,
  type WireClusters,
} from "@cloudwright/simulator";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSimulatedLeftovers } from "./simulated-leftovers.ts";

/** What a simulated cloud is made of, for the time of one run. */
interface Substance {
  readonly inventory: Inventory;
  readonly faults: SimulatedFaults;
  /** Absent where clusters answer nowhere. */
  readonly clusters?: WireClusters;
  close(): void;
}

/**
 * Opens the simulated clouds of accounts: an account is a tenant. They are kept by the control plane, so that all agents see one cloud, or
 * in files of this agent, for those who want a cloud that goes on while the control plane is gone, as a real one would.
 */
export function createOpenCloud({ directory, simulator }: Pick<AgentConfig, "directory" | "simulator">): OpenCloud {
  const folder = join(directory, "simulated");
  const open = createSubstances({ directory, simulator });
  return async ({ uid: tenant }, access) => {
    const { inventory, faults, clusters, close } = open(access);
    const providers = {
      // Of each run, since it asks with the run's credential where clusters answer.
      "registry.terraform.io/hashicorp/aws": clusters === undefined ? awsProvider : createAwsProvider(clusters),
      // For plug-ins that want to be tried without a cloud.
      "registry.terraform.io/cloudwright/sim": simProvider,
    };
    const resident = await startNear(folder, { providers, tenant, inventory, faults });
    return {
      providers: { reattach: resident.reattach },
      listOwned: async (entityUid) =>
        (await listTagged(inventory, tenant, { key: "cloudwright:entity", value: entityUid })).map(describeThing),
      countObjects: async (id) =>
        countObjects(await inventory.find(tenant, { type: "aws_s3_bucket", id }), await inventory.list(tenant, "aws_s3_object")),
      leftovers: createSimulatedLeftovers(inventory, tenant),
      openCluster: async ({ name, region, endpoint, caPem }) => {
        if (clusters === undefined)
          throw new Fault(simulatorFaults.clusters_unserved, `the cloud of ${name} is kept in files: its API answers nowhere`);
        return { server: endpoint, caPem, token: () => clusters.getToken({ tenant, region, name }) };
      },
      async close() {
        close();
        await resident.close();
      },
    };
  };
}

/** Opens what simulated clouds are made of, with the access that a run has to its state. */
export function createSubstances({
  directory,
  simulator,
}: Pick<AgentConfig, "directory" | "simulator">): (access: StateAccess) => Substance {
  return simulator === "files" ? createFiles(join(directory, "simulated")) : openWire;
}

/** Stays open when the run is told to stop: what is being made then is made to its end, and has to be known. */
function openWire(access: StateAccess): Substance {
  const gone = new AbortController();
  const options = { ...access, signal: gone.signal };
  const connection = openWireConnection(options);
  return {
    inventory: createWireInventory(options, connection),
    faults: createWireFaults(options, connection),
    clusters: createWireClusters(options),
    close: () => gone.abort(),
  };
}

function createFiles(folder: string): () => Substance {
  const inventory = createFileInventory(join(folder, "inventory"));
  const faults = createFileFaults(join(folder, "mishaps.json"));
  return () => ({ inventory, faults, close: () => undefined });
}

// The agent's directory may have a path that is too long for a socket.
async function startNear(folder: string, options: Omit<ResidentOptions, "directory">): Promise<ResidentProvider> {
  try {
    return await startResidentProvider({ ...options, directory: join(folder, "sockets") });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== simulatorFaults.path_too_long.code) throw error;
    return startResidentProvider({ ...options, directory: tmpdir() });
  }
}

function describeThing({ type, id, attributes }: CloudRecord): OwnedThing {
  const { tags } = attributes as { tags?: Readonly<Record<string, unknown>> | null };
  const part = tags?.["cloudwright:part"];
  const names = Object.values(attributes).filter((value) => typeof value === "string");
  return { type, id, names, ...(typeof part === "string" ? { part } : {}) };
}
