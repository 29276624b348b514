import { findTool, processEnvironment, Secret } from "@cloudwright/platform";
import { createMemoryInventory, type Inventory } from "@cloudwright/simulator";
import { startApiHost, type ApiHost } from "@cloudwright/simulator/testing";
import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../cloud-clients/azure_script.py", import.meta.url));
const packages = ["azure.mgmt.containerservice", "azure.mgmt.compute", "azure.mgmt.network"];
const python = findTool("python3");
const hasClients = python !== undefined && canImport(python, packages);
if (!hasClients) console.log(`skipped Azure's Python clients: Python cannot import ${packages.join(", ")} on this machine`);

let host: ApiHost;
let inventory: Inventory;
let folder: string;
const troubles: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cw-e2e-azure-"));
  inventory = createMemoryInventory();
  const onTrouble = (message: string) => troubles.push(message);
  host = await startApiHost({ inventory, secret: new Secret("e2e"), listen: { port: 0 }, onTrouble });
});
afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

function canImport(tool: string, names: readonly string[]): boolean {
  try {
    execFileSync(tool, ["-c", `import ${names.join(", ")}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

// The clients load large modules, which takes a while on a busy machine.
test.skipIf(!hasClients)(
  "M145 M166 Azure's own Python clients create, describe, list and delete networks, a machine, a cluster and a node pool",
  { timeout: 600_000 },
  async () => {
    const { environment } = await host.issue("python", "azure", { region: "eastus" });
    const group = `/subscriptions/${environment["AZURE_SUBSCRIPTION_ID"]}/resourceGroups/python`;
    const attributes = { id: group, name: "python", location: "eastus" };
    await inventory.put("python", { type: "azurerm_resource_group", id: group, attributes });
    const ca = join(folder, "ca.pem");
    await writeFile(ca, host.caPem);
    const own = { PATH: processEnvironment["PATH"], HOME: folder, RESOURCE_GROUP: "python", REQUESTS_CA_BUNDLE: ca };
    const { stdout } = await run(python ?? "", [script], { cwd: folder, env: { ...own, ...environment } });
    expect(stdout).toContain("done");
    const left = (await inventory.list("python")).map(({ type }) => type).filter((type) => !type.startsWith("cloud_"));
    expect(left).toEqual(["azurerm_resource_group"]);
    expect(troubles).toEqual([]);
  },
);
