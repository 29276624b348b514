import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import type { SimulatedFaultKind } from "@cloudwright/simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAzure } from "../create-azure.ts";
import type { CloudLibrary } from "../../library/library.ts";
import { startSimulatedAzure, type SimulatedAzure } from "../testing/simulated-azure.ts";

const seed = chooseSeed();
let azure: SimulatedAzure;
let library: CloudLibrary;

beforeAll(async () => {
  console.log(`simulated faults of the Azure API use the seed ${seed}`);
  azure = await startSimulatedAzure();
  library = createAzure(azure.options);
});
afterAll(() => azure.close());

const { pick } = createRandom(seed);

const changes = [
  "ManagedClusters_CreateOrUpdate",
  "ManagedClusters_Delete",
  "AgentPools_CreateOrUpdate",
  "AgentPools_Delete",
  "VirtualMachines_CreateOrUpdate",
  "VirtualMachines_Delete",
  "VirtualMachines_Deallocate",
  "NetworkInterfaces_CreateOrUpdate",
  "PublicIPAddresses_CreateOrUpdate",
];
const reads = ["ManagedClusters_Get", "AgentPools_Get", "VirtualMachines_Get", "NetworkInterfaces_Get", "GetOperationStatus"];
const kinds: readonly SimulatedFaultKind[] = [
  { kind: "crash" },
  { kind: "lost_reply" },
  { kind: "truncated" },
  { kind: "error", message: "TooManyRequests: slow down" },
  { kind: "error", message: "InternalServerError: sorry" },
  { kind: "error", message: "ServiceUnavailable: later" },
];

/** Repeats a call with its token, as a program does after a failure. */
async function insist<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      return await call();
    } catch {
      // The next attempt continues where this one stopped.
    }
  }
  return call();
}

test(
  "M149 M162 whatever breaks, repeated calls end, create nothing twice and leave nothing behind",
  { timeout: 600_000 },
  async () => {
    const { inventory, tenant, subnetId: subnet, faults } = azure;
    const list = async (): Promise<string[]> =>
      (await inventory.list(tenant)).map(({ type, id }) => `${type} ${id}`).filter((each) => each.startsWith("azurerm_"));
    const before = await list();
    const sshKeys = ["ssh-ed25519 AAAA me@here"];
    const vm = { name: "vm", image: "ubuntu-24.04", type: "Standard_B1s", subnet, publicAddress: true, sshKeys };
    const [clusterCall, poolCall, machineCall] = ["cluster", "pool", "vm"].map((token) => ({ token, wait: "ready" as const }));
    for (let round = 0; round < 4; round++) {
      for (let count = 0; count < 5; count++)
        await faults.add({ operation: "call", type: pick([...changes, ...changes, ...reads]), ...pick(kinds) });
      await insist(() => library.clusters.create({ name: "dev", version: "1.33", nodeCount: 1 }, clusterCall));
      await insist(() => library.nodePools.create("dev", { name: "more", count: 1 }, poolCall));
      await insist(() => library.instances.create(vm, machineCall));
      const made = (await list()).filter((each) => !before.includes(each)).map((each) => each.split(" ")[0]);
      expect(made).toEqual([
        "azurerm_kubernetes_cluster",
        "azurerm_kubernetes_cluster_node_pool",
        "azurerm_linux_virtual_machine",
        "azurerm_managed_disk",
        "azurerm_network_interface",
        "azurerm_public_ip",
      ]);
      await insist(() => library.instances.stop("vm"));
      await insist(() => library.instances.terminate("vm"));
      await insist(() => library.nodePools.delete("dev", "more"));
      await insist(() => library.clusters.delete("dev"));
      expect(await list()).toEqual(before);
    }
  },
);
