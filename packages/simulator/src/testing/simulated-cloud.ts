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

/** How Terraform comes to its provider; `legacy`: to a resident one with the type system of the real providers, of whose answers less is asked. */
export type LaunchMode = "resident" | "legacy" | "spawned";

/** The programs that a provider must work with; OpenTofu is tried where there is one. */
export const tools: Readonly<Record<"terraform" | "tofu", ToolProbe>> = {
  terraform: requireTool("terraform"),
  tofu: requireTool("tofu"),
};

interface StackOptions {
  readonly tenant?: string;
  readonly mode?: LaunchMode;
  /** What else Terraform is told. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A simulated cloud for a test, and stacks of its tenants. */
export interface SimulatedCloud {
  readonly directory: string;
  readonly inventory: Inventory;
  readonly faults: SimulatedFaultControl;
  /** A stack whose `main.tf` starts with the provider's requirement, initialised. */
  openStack(configuration: string, options?: StackOptions): Promise<TerraformStack>;
  /** The socket directories of resident providers. */
  listSockets(): Promise<string[]>;
  closeProviders(): Promise<void>;
  close(): Promise<void>;
}

/** What every configuration starts with. */
export const requirement = `
terraform {
  required_providers {
    sim = { source = "acme/sim", version = "1.2.3" }
  }
}
`;

/** Makes a cloud. Inventory and faults are files, so that both launch modes share them. */
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

/** The provider's bundle, built anew once for all suites of a process, where the product looks for it. */
export function getBundle(): Promise<string> {
  bundle ??= buildProviderBundle(defaultBundle).then(() => defaultBundle);
  return bundle;
}
