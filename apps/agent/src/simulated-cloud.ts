import type { Cloud, OwnedThing } from "@cloudwright/deployer";
import { Fault } from "@cloudwright/platform";
import {
  awsProvider,
  createFileInventory,
  createFileMishaps,
  listTagged,
  simProvider,
  simulatorFaults,
  startResidentProvider,
  type CloudRecord,
  type ResidentOptions,
  type ResidentProvider,
} from "@cloudwright/simulator";
import { tmpdir } from "node:os";
import { join } from "node:path";

const providers = {
  "registry.terraform.io/hashicorp/aws": awsProvider,
  // For plug-ins that want to be tried without a cloud.
  "registry.terraform.io/cloudwright/sim": simProvider,
};

/** Opens the simulated clouds of accounts, which are files in the agent's directory: an account is a tenant. */
export function createOpenCloud(directory: string): (account: { readonly uid: string }) => Promise<Cloud> {
  const folder = join(directory, "simulated");
  const inventory = createFileInventory(join(folder, "inventory"));
  const mishaps = createFileMishaps(join(folder, "mishaps.json"));
  return async ({ uid: tenant }) => {
    const resident = await startNear(folder, { providers, tenant, inventory, mishaps });
    return {
      providers: { reattach: resident.reattach },
      listOwned: async (entityUid) =>
        (await listTagged(inventory, tenant, { key: "cloudwright:entity", value: entityUid })).map(describeThing),
      close: resident.close,
    };
  };
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
