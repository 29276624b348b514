import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { addNetwork, cluster, everything, networkRecords } from "./cluster-fixture.ts";

async function open(inventory: Inventory, version: string): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, "kubernetes/azure", version), inventory);
  onTestFinished(opened.close);
  return opened;
}

describe.skipIf(!terraform.found).each(["v1.0.0", "v1.1.0"])("kubernetes/azure/%s on the simulated Azure", (version) => {
  test("M136 M120 M124 M126 M127 a small cluster is created, is stable, and is deleted with its vault", async () => {
    const inventory = createMemoryInventory();
    await addNetwork(inventory);
    const stack = await open(inventory, version);
    await stack.give(cluster());
    await stack.run("apply", "-auto-approve", "-json");
    expect(await stack.outputs()).toMatchObject({
      cluster_name: "dev-456789ab",
      version: "1.33",
      node_group_names: ["default"],
      ready_nodes: 2,
      node_resource_group: "MC_dev-456789ab_dev-456789ab_westeurope",
    });
    expect(await stack.plan()).toEqual({});
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toHaveLength(networkRecords);
  });

  test("M136 M160 every variable takes effect, the second plan is empty, and a purge-protected vault stays until its retention ends", async () => {
    const inventory = createMemoryInventory();
    await addNetwork(inventory);
    const stack = await open(inventory, version);
    await stack.give(cluster(everything));
    await stack.run("apply", "-auto-approve", "-json");
    expect(await stack.plan()).toEqual({});
    expect(await stack.outputs()).toMatchObject({
      ready_nodes: 6,
      node_group_names: ["arm", "default", "gpu", "spot", "very-long-pool-name"],
    });
    await stack.run("destroy", "-auto-approve", "-json");
    const left = await inventory.list("a");
    expect(left.filter(({ type }) => type === "azurerm_deleted_key_vault")).toHaveLength(1);
    expect(left).toHaveLength(networkRecords + 1);
  });
});
