import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { terraform } from "../../testing/open-configuration.ts";
import { addNetwork, cluster, openClusters, pool } from "./cluster-fixture.ts";

describe.skipIf(!terraform.found)("changes to a cluster's configuration on the simulated Google Cloud", () => {
  test("M125 M138 scaling replaces no node, and an upgrade changes the control plane and then every pool", async () => {
    const inventory = createMemoryInventory();
    await addNetwork(inventory);
    const stack = await openClusters(inventory);
    onTestFinished(stack.close);
    await stack.give(cluster());
    await stack.run("apply", "-auto-approve", "-json");
    const counts = async (): Promise<unknown[]> =>
      (await inventory.list("a", "google_container_node_pool")).map(({ attributes }) => attributes["node_count"]);
    expect(await counts()).toEqual([1, 1, 0]);
    await stack.give(cluster({ node_pools: { default: pool(5) } }));
    expect(await stack.plan()).toEqual({
      'google_container_node_pool.pool["default/b"]': "update",
      'google_container_node_pool.pool["default/c"]': "update",
      'google_container_node_pool.pool["default/d"]': "update",
    });
    await stack.run("apply", "-auto-approve", "-json");
    expect(await counts()).toEqual([2, 2, 1]);
    const five = { node_pools: { default: pool(5) } };
    await stack.give(cluster({ ...five, cluster_version: "1.34", upgrades_nodes: true }));
    expect(await stack.plan()).toEqual({
      "google_container_cluster.this": "update",
      'google_container_node_pool.pool["default/b"]': "update",
      'google_container_node_pool.pool["default/c"]': "update",
      'google_container_node_pool.pool["default/d"]': "update",
    });
    await stack.run("apply", "-auto-approve", "-json");
    const { version, choices } = (await stack.outputs()) as { version: string; choices: Choices };
    expect([version, choices.requested_version]).toEqual(["1.34", "1.34.3-gke.1000000"]);
    await stack.give(cluster({ ...five, cluster_version: "1.34", current_version: choices.requested_version }));
    expect(await stack.plan()).toEqual({});
    const later = { cluster_version: "1.34", current_version: choices.requested_version, built_pools: choices.built_pools };
    await stack.give(cluster({ ...later, node_pools: { default: pool(5, { autoscaling: true }) } }));
    expect(Object.values(await stack.plan())).toEqual(["update", "update", "update"]);
    await stack.run("apply", "-auto-approve", "-json");
    // The autoscaler has changed the number of nodes. Plans do not revert this change.
    for (const record of await inventory.list("a", "google_container_node_pool")) {
      await inventory.put("a", { ...record, attributes: { ...record.attributes, node_count: 4 } });
    }
    expect(await stack.plan()).toEqual({});
    // Spot machines require new pools, which are created before the old ones are deleted and start with the desired size.
    await stack.give(cluster({ ...later, node_pools: { default: pool(5, { capacity: "spot", autoscaling: true }) } }));
    expect(Object.values(await stack.plan())).toEqual(["replace", "replace", "replace"]);
    await stack.run("apply", "-auto-approve", "-json");
    expect(await counts()).toEqual([2, 2, 1]);
  });
});

interface Choices {
  readonly requested_version: string;
  readonly built_pools: Readonly<Record<string, string>>;
}
