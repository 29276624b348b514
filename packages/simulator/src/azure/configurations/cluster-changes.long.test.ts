import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { addIdentity, addNetwork, cluster, everything, idOf, networkRecords, pool, subnets } from "./cluster-fixture.ts";

const folder = (version: string): string => join(infra, "kubernetes/azure", version);
const apply = ["apply", "-auto-approve", "-json"] as const;
const clusterAt = "azurerm_kubernetes_cluster.this";
const poolAt = (name: string): string => `azurerm_kubernetes_cluster_node_pool.pool["${name}"]`;

async function open(inventory: Inventory, version: string): Promise<OpenConfiguration> {
  await addNetwork(inventory);
  const opened = await openConfiguration(folder(version), inventory);
  onTestFinished(opened.close);
  return opened;
}

describe.skipIf(!terraform.found).each(["v1.0.0", "v1.1.0"])("kubernetes/azure/%s on the simulated Azure", (version) => {
  test("M136 M160 every variable takes effect, the second plan is empty, and a purge-protected vault is kept until its retention ends", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, version);
    const app = await addIdentity(inventory, "app");
    const later = version === "v1.0.0" ? {} : { workload_identities: { "apps/web": app }, image_cleaner: false };
    await stack.give(cluster({ ...everything, ...later }));
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    expect(await stack.outputs()).toMatchObject({
      ready_nodes: 6,
      node_group_names: ["arm", "default", "gpu", "spot", "very-long-pool-name"],
    });
    await stack.run("destroy", "-auto-approve", "-json");
    const left = await inventory.list("a");
    expect(left.filter(({ type }) => type === "azurerm_deleted_key_vault")).toHaveLength(1);
    expect(left).toHaveLength(networkRecords + 2);
  });

  test("M126 M127 a private cluster uses identities and a key that the user provides", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, version);
    const [control, nodes] = [await addIdentity(inventory, "control"), await addIdentity(inventory, "nodes")];
    const given = {
      public_access: false,
      public_access_cidrs: [],
      identities: { cluster: control, kubelet: nodes },
      kms_key: { id: `https://main.vault.azure.net/keys/secrets/${"0".repeat(32)}` },
    };
    await stack.give(cluster(given));
    const refused = (await stack.attempt(...apply)).output;
    // The simulator checks that an identity supplied by the user has the required roles.
    expect(refused).toContain("CustomKubeletIdentityMissingPermissionError");
    expect(refused).not.toContain('azurerm_role_assignment.cluster["nodes"]');
  });

  test("M160 M161 scaling, new machines and an upgrade change pools in place, and a pool that becomes a spot pool is replaced", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, version);
    const pools = (web: object): object => ({ node_pools: { default: pool(2), web: pool(1, web) } });
    await stack.give(cluster(pools({})));
    await stack.run(...apply);
    await stack.give(cluster({ node_pools: { default: pool(3), web: pool(4) } }));
    expect(await stack.plan()).toEqual({ [clusterAt]: "update", [poolAt("web")]: "update" });
    await stack.give(cluster(pools({ instance_type: "Standard_D4ps_v5", zones: ["1"] })));
    expect(await stack.plan()).toEqual({ [poolAt("web")]: "update" });
    await stack.give(cluster(pools({ capacity: "spot" })));
    expect(await stack.plan()).toEqual({ [poolAt("web")]: "replace" });
    await stack.give(cluster({ ...pools({}), cluster_version: "1.35" }));
    expect((await stack.attempt(...apply)).output).toContain("must not skip a minor version");
    await stack.give(cluster({ ...pools({}), cluster_version: "1.34" }));
    await stack.run(...apply);
    expect(await stack.outputs()).toMatchObject({ version: "1.34" });
    expect(await stack.plan()).toEqual({});
  });

  test("X033 M168 a cluster that AKS upgraded by itself is left alone", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, version);
    await stack.give(cluster({ upgrade_channel: "stable" }));
    await stack.run(...apply);
    const [record] = await inventory.list("a", "azurerm_kubernetes_cluster");
    if (record === undefined) throw new Error("the cluster is missing");
    const upgraded = { kubernetes_version: "1.34.2", current_kubernetes_version: "1.34.2" };
    await inventory.put("a", { ...record, attributes: { ...record.attributes, ...upgraded } });
    await stack.give(cluster({ upgrade_channel: "stable", cluster_version: null }));
    expect(await stack.plan()).toEqual({});
  });

  test("M121 user-defined routing needs a route table, and pods need a subnet that exists", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, version);
    await stack.give(cluster({ outbound_type: "userDefinedRouting" }));
    expect((await stack.attempt(...apply)).output).toContain("ExistingRouteTableNotAssociatedWithSubnet");
    const attributes = { subnet_id: subnets.nodes, route_table_id: idOf("Microsoft.Network/routeTables", "routes") };
    await inventory.put("a", { type: "azurerm_subnet_route_table_association", id: subnets.nodes, attributes });
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
  });
});

describe.skipIf(!terraform.found)("the upgrade of a cluster's configuration on the simulated Azure", () => {
  test("M138 the upgrade from v1.0.0 to v1.1.0 updates the cluster and its pools and replaces nothing", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, "v1.0.0");
    const variables = cluster({ node_pools: { default: pool(2), web: pool(1) } });
    await stack.give(variables);
    await stack.run(...apply);
    await stack.use(folder("v1.1.0"));
    const app = await addIdentity(inventory, "app");
    await stack.give({ ...variables, workload_identities: { "apps/web": app } });
    expect(await stack.plan()).toEqual({
      [clusterAt]: "update",
      [poolAt("web")]: "update",
      'azurerm_federated_identity_credential.this["apps/web"]': "create",
    });
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
  });
});
