import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listTagged } from "../../inventory/list-tagged.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform } from "../../testing/open-configuration.ts";
import { addNetwork, cluster, networkRecords, owner } from "./cluster-fixture.ts";

describe.skipIf(!terraform.found)("a cluster's configuration on the simulated Azure", () => {
  test("M136 M120 M124 M126 M127 a small cluster is created, is stable, and is deleted with its vault", async () => {
    const inventory = createMemoryInventory();
    await addNetwork(inventory);
    const stack = await openConfiguration(join(infra, "kubernetes/azure/v1.1.0"), inventory);
    onTestFinished(stack.close);
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
    const own = (await inventory.list("a")).length - networkRecords;
    expect(await listTagged(inventory, "a", { key: "cloudwright:entity", value: owner.entity })).toHaveLength(own);
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toHaveLength(networkRecords);
  });
});
