import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireTool, type ToolProbe } from "@cloudwright/platform";
import { awsProvider } from "../aws/provider.ts";
import { azureProvider } from "../azure/provider.ts";
import { gcpProvider } from "../gcp/provider.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { startResidentProvider } from "../launch/resident-provider.ts";
import { createMemoryFaults } from "../simulated-faults/memory-faults.ts";
import { createTerraformStack, type Run } from "./terraform-stack.ts";

/** The Terraform program on this machine, or the reason why it is missing. */
export const terraform: ToolProbe = requireTool("terraform");
if (!terraform.found) console.log(`skipped: ${terraform.reason}`);

/** A Terraform configuration, ready to run in the simulated clouds. */
export interface OpenConfiguration {
  /** Writes the variables file. */
  give(variables: object): Promise<void>;
  /** Runs a Terraform command. Throws if it fails. */
  run(...args: readonly string[]): Promise<Run>;
  /** Runs a Terraform command. Does not throw if it fails. */
  attempt(...args: readonly string[]): Promise<Run>;
  /** Returns the planned action for each resource address that would change. */
  plan(): Promise<Readonly<Record<string, string>>>;
  outputs(): Promise<Readonly<Record<string, unknown>>>;
  /** Replaces the configuration with another one, for example a later version. The state is kept. */
  use(folder: string): Promise<void>;
  close(): Promise<void>;
}

const providers = {
  "registry.terraform.io/hashicorp/aws": awsProvider,
  "registry.terraform.io/hashicorp/google": gcpProvider,
  "registry.terraform.io/hashicorp/azurerm": azureProvider,
};

/** The folder of the product's Terraform configurations. */
export const infra: string = join(import.meta.dirname, "../../../../infra");

/** Opens and initialises the configuration in a folder, for tenant `a`. */
export async function openConfiguration(folder: string, inventory: Inventory): Promise<OpenConfiguration> {
  const sockets = await mkdtemp(join(tmpdir(), "aws-"));
  const faults = createMemoryFaults();
  const resident = await startResidentProvider({ providers, tenant: "a", inventory, faults, directory: sockets });
  const stack = await createTerraformStack(terraform.found ? terraform.path : "", { environment: resident.environment });
  const copy = async (from: string): Promise<void> => {
    const isCode = (file: string): boolean => file.endsWith(".tf");
    for (const name of (await readdir(stack.directory)).filter(isCode)) await rm(join(stack.directory, name));
    for (const name of (await readdir(from)).filter(isCode)) {
      await writeFile(join(stack.directory, name), await readFile(join(from, name)));
    }
  };
  await copy(folder);
  const run = async (...args: readonly string[]): Promise<Run> => {
    const result = await stack.run(...args);
    if (result.code !== 0) throw new Error(result.output);
    return result;
  };
  await run("init", "-input=false");
  return {
    give: (variables) => writeFile(join(stack.directory, "terraform.tfvars.json"), JSON.stringify(variables)),
    run,
    attempt: stack.run,
    async plan() {
      const { events } = await run("plan", "-input=false", "-json");
      const changes = events.flatMap(({ type, change }) => (type === "planned_change" && change !== undefined ? [change] : []));
      return Object.fromEntries(changes.map(({ action, resource }) => [resource.addr, action]));
    },
    async outputs() {
      const text = (await run("output", "-json")).output;
      const all = JSON.parse(text) as Record<string, { value: unknown }>;
      return Object.fromEntries(Object.entries(all).map(([name, { value }]) => [name, value]));
    },
    async use(other) {
      await copy(other);
      await run("init", "-input=false");
    },
    async close() {
      await resident.close();
      await stack.remove();
      await rm(sockets, { recursive: true, force: true });
    },
  };
}
