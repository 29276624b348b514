import { pickChildEnvironment, processEnvironment, requireTool } from "@cloudwright/platform";
import {
  createFileInventory,
  createFileFaults,
  simProvider,
  startResidentProvider,
  writeProviderMirror,
  type Inventory,
  type SimulatedFaultControl,
} from "@cloudwright/simulator";
import { getBundle } from "@cloudwright/simulator/testing";
import { createSpawn, openTerraform, type Binary, type Terraform, type TerraformOptions } from "@cloudwright/terraform";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Returns the Terraform and OpenTofu programs installed on this machine. Prints a message for each one that is missing. */
export function findEngines(): readonly { readonly name: string; readonly binary: Binary }[] {
  const wanted = [
    { name: "terraform", product: "terraform", version: "1.9.0" },
    { name: "tofu", product: "opentofu", version: "1.7.0" },
  ] as const;
  return wanted.flatMap(({ name, ...release }) => {
    const probe = requireTool(name);
    if (!probe.found) console.log(`skipped: ${probe.reason}`);
    return probe.found ? [{ name, binary: { ...release, path: probe.path } }] : [];
  });
}

/** A simulated cloud for one test, and working directories for the driver. */
export interface TestCloud {
  readonly directory: string;
  readonly inventory: Inventory;
  readonly faults: SimulatedFaultControl;
  /** Where the providers run: inside this process, or as programs that Terraform starts from a mirror in each run. */
  readonly providers: NonNullable<TerraformOptions["providers"]>;
  open(binary: Binary, main: string, options?: Partial<TerraformOptions>): Terraform & { readonly directory: string };
}

const requirement = 'terraform {\n  required_providers {\n    sim = { source = "acme/sim", version = "1.2.3" }\n  }\n}\n';

/** Creates a simulated cloud that is removed when the test ends. */
export async function createTestCloud(mode: "resident" | "spawned"): Promise<TestCloud> {
  const directory = await mkdtemp(join(tmpdir(), "cw-run-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const inventoryDirectory = join(directory, "inventory");
  const faultsFile = join(directory, "faults.json");
  const inventory = createFileInventory(inventoryDirectory);
  const faults = createFileFaults(faultsFile);
  const address = "registry.terraform.io/acme/sim";
  const launch = async (): Promise<TestCloud["providers"]> => {
    if (mode === "resident") {
      const sockets = join(directory, "sockets");
      const resident = await startResidentProvider({
        providers: { [address]: simProvider },
        tenant: "a",
        inventory,
        faults,
        directory: sockets,
      });
      onTestFinished(resident.close);
      return { reattach: resident.reattach };
    }
    const filesystemMirror = join(directory, "mirror");
    const bundle = await getBundle();
    await writeProviderMirror(filesystemMirror, {
      address,
      version: "1.2.3",
      definition: "sim",
      bundle,
      tenant: "a",
      inventoryDirectory,
      faultsFile,
    });
    return { filesystemMirror };
  };
  const providers = await launch();
  const spawn = createSpawn(pickChildEnvironment(processEnvironment));
  let count = 0;
  return {
    directory,
    inventory,
    faults,
    providers,
    open(binary, main, options = {}) {
      count += 1;
      const how = {
        directory: join(directory, `run-${count}`),
        configuration: { files: { "main.tf": requirement + main } },
        ...options,
      };
      return { ...openTerraform({ spawn }, { binary, providers, ...how }), directory: how.directory };
    },
  };
}
