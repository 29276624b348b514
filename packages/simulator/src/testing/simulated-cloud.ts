import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireTool, type ToolProbe } from "@cloudwright/platform";
import { buildProviderBundle } from "../../scripts/build-provider-bundle.ts";
import { createFileInventory } from "../inventory/file-inventory.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { defaultBundle, writeProviderMirror } from "../launch/provider-mirror.ts";
import { startResidentProvider } from "../launch/resident-provider.ts";
import { createFileFaults } from "../simulated-faults/file-faults.ts";
import type { SimulatedFaultControl } from "../simulated-faults/simulated-fault.ts";
import { simProvider } from "../sim/provider.ts";
import { createTerraformStack, type TerraformStack } from "./terraform-stack.ts";

/**
 * How Terraform reaches the provider: it connects to a running one (`resident`) or starts one itself (`spawned`). `legacy` is a resident
 * provider with the lenient type system of the older SDK.
 */
export type LaunchMode = "resident" | "legacy" | "spawned";

/** The programs that providers must work with. OpenTofu is tested only where it is installed. */
export const tools: Readonly<Record<"terraform" | "tofu", ToolProbe>> = {
  terraform: requireTool("terraform"),
  tofu: requireTool("tofu"),
};

interface StackOptions {
  readonly tenant?: string;
  readonly mode?: LaunchMode;
  /** Additional environment variables for Terraform. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A simulated cloud for tests, with Terraform stacks for its tenants. */
export interface SimulatedCloud {
  readonly directory: string;
  readonly inventory: Inventory;
  readonly faults: SimulatedFaultControl;
  /** Initialises a stack whose `main.tf` consists of the provider requirement and the given configuration. */
  openStack(configuration: string, options?: StackOptions): Promise<TerraformStack>;
  /** Returns the paths of the resident providers' socket directories. */
  listSockets(): Promise<string[]>;
  closeProviders(): Promise<void>;
  close(): Promise<void>;
}

/** The provider requirement at the start of every configuration. */
export const requirement = `
terraform {
  required_providers {
    sim = { source = "acme/sim", version = "1.2.3" }
  }
}
`;

/** Creates a simulated cloud. The inventory and the simulated faults are files, so that resident and spawned providers can share them. */
export async function createSimulatedCloud(program: string, defaultMode: LaunchMode): Promise<SimulatedCloud> {
  const directory = await mkdtemp(join(tmpdir(), "cloud-"));
  const inventoryDirectory = join(directory, "inventory");
  const faultsFile = join(directory, "faults.json");
  const sockets = join(directory, "sockets");
  const inventory = createFileInventory(inventoryDirectory);
  const faults = createFileFaults(faultsFile);
  const closers: (() => Promise<void>)[] = [];
  const providers: (() => Promise<void>)[] = [];
  const closeProviders = async (): Promise<void> => {
    for (const close of providers.splice(0)) await close();
  };

  async function launch(tenant: string, mode: LaunchMode): Promise<{ settings?: string; environment?: Record<string, string> }> {
    if (mode !== "spawned") {
      const definition = mode === "legacy" ? { ...simProvider, legacyTypeSystem: true } : simProvider;
      const served = { "registry.terraform.io/acme/sim": definition };
      const resident = await startResidentProvider({ providers: served, tenant, inventory, faults, directory: sockets });
      providers.push(resident.close);
      return { environment: resident.environment };
    }
    const bundle = await getBundle();
    const named = { address: "registry.terraform.io/acme/sim", version: "1.2.3", definition: "sim", bundle };
    const mirror = join(directory, `mirror-${tenant}`);
    return { settings: await writeProviderMirror(mirror, { ...named, tenant, inventoryDirectory, faultsFile }) };
  }

  return {
    directory,
    inventory,
    faults,
    async openStack(configuration, { tenant = "a", mode = defaultMode, environment = {} } = {}) {
      const launched = await launch(tenant, mode);
      const stack = await createTerraformStack(program, {
        ...launched,
        environment: { ...launched.environment, ...environment },
      });
      closers.unshift(stack.remove);
      await stack.write(requirement + configuration);
      const { code, output } = await stack.run("init", "-input=false");
      if (code !== 0) throw new Error(output);
      return stack;
    },
    listSockets: () => readdir(sockets).catch(() => []),
    closeProviders,
    async close() {
      await closeProviders();
      for (const close of closers) await close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

let bundle: Promise<string> | undefined;

/** Builds the provider bundle once per process, at the path where the product expects it. Returns the path. */
export function getBundle(): Promise<string> {
  bundle ??= buildProviderBundle(defaultBundle).then(() => defaultBundle);
  return bundle;
}
