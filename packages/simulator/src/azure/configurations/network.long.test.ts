import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { apply, destroy, wholeNetwork } from "./cases.ts";

async function open(place: string, inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, place), inventory);
  onTestFinished(opened.close);
  return opened;
}

const { name, region, owner } = wholeNetwork;
const small = { name, region, owner, zones: ["1", "2", "3"] };

describe.skipIf(!terraform.found)("network/azure on the simulated Azure", () => {
  test("M138 the upgrade to v1.1.0 adds a route table and replaces or deletes nothing", async () => {
    const inventory = createMemoryInventory();
    const stack = await open("network/azure/v1.0.0", inventory);
    await stack.give({ ...small, nat: "single" });
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    await stack.use(join(infra, "network/azure/v1.1.0"));
    expect(await stack.plan()).toEqual({
      'azurerm_route_table.nodes["network"]': "create",
      'azurerm_subnet_route_table_association.this["nodes"]': "create",
    });
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    await stack.run(...destroy);
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M115 a network changes from no NAT to a single gateway to one that spans all zones, and back", async () => {
    const inventory = createMemoryInventory();
    const stack = await open("network/azure/v1.1.0", inventory);
    await stack.give(small);
    await stack.run(...apply);
    await stack.give({ ...small, nat: "single" });
    expect(await stack.plan()).toEqual({
      'azurerm_nat_gateway.this["network"]': "create",
      'azurerm_nat_gateway_public_ip_association.nat["0"]': "create",
      'azurerm_public_ip.nat["0"]': "create",
      'azurerm_subnet_nat_gateway_association.this["nodes"]': "create",
    });
    await stack.run(...apply);
    await stack.give({ ...small, nat: "per-zone" });
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    expect((await inventory.list("a", "azurerm_nat_gateway")).map(({ attributes }) => attributes["sku_name"])).toEqual([
      "StandardV2",
    ]);
    await stack.give(small);
    await stack.run(...apply);
    expect(await inventory.list("a", "azurerm_public_ip")).toEqual([]);
    await stack.run(...destroy);
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M033 an existing network is found and used, and nothing in it is changed or deleted", async () => {
    const inventory = createMemoryInventory();
    const made = await open("network/azure/v1.1.0", inventory);
    await made.give({ ...small, pod_subnet: true, api_server_subnet: true });
    await made.run(...apply);
    const before = await inventory.list("a");
    const outputs = await made.outputs();
    const [nodes] = outputs["private_subnet_ids"] as string[];
    const [apiServer] = outputs["intra_subnet_ids"] as string[];
    const existing = (change: object = {}): object => ({
      name: "other",
      region,
      owner: { ...owner, entity: "0199bbbb-0000-7000-8000-0123456789ab" },
      vnet_id: outputs["network_id"],
      node_subnet_id: nodes,
      pod_subnet_id: outputs["pod_subnet_id"],
      api_server_subnet_id: apiServer,
      ...change,
    });
    const stack = await open("network/azure/v1.1.0", inventory);
    await stack.give(existing());
    expect(await stack.plan()).toEqual({});
    await stack.run(...apply);
    expect(await stack.outputs()).toMatchObject({
      network_id: outputs["network_id"],
      cidr: "10.0.0.0/16",
      resource_group_name: outputs["resource_group_name"],
      private_subnet_ids: [nodes],
      intra_subnet_ids: [apiServer],
      pod_subnet_id: outputs["pod_subnet_id"],
      nat_public_ips: [],
      outbound_type: "loadBalancer",
    });
    const [id, vnet] = [String(nodes), String(outputs["network_id"])];
    const elsewhere = vnet.replace(/subscriptions\/[^/]+/, "subscriptions/11111111-1111-1111-1111-111111111111");
    const refused: [object, string][] = [
      [{ node_subnet_id: id.replace("nodes", "none") }, "was not found"],
      [{ vnet_id: `${vnet}-none` }, "was not found"],
      [{ vnet_id: elsewhere }, "is in another subscription than the account"],
      [{ nat: "single" }, "An existing network cannot be combined with"],
    ];
    for (const [change, words] of refused) {
      await stack.give(existing(change));
      const { code, output } = await stack.attempt("plan", "-json");
      expect([words, code, output.includes(words)]).toEqual([words, 1, true]);
    }
    await stack.give(existing());
    await stack.run(...destroy);
    expect(await inventory.list("a")).toEqual(before);
  });

  test("M110 a network in a given resource group leaves the group in place", async () => {
    const inventory = createMemoryInventory();
    const stack = await open("network/azure/v1.1.0", inventory);
    await stack.give({ ...small, region: "westus", zones: null, resource_group_name: "shared" });
    const refused = await stack.attempt(...apply);
    expect([refused.code, refused.output.includes("ResourceGroupNotFound")]).toEqual([1, true]);
    const host = await open("network/azure/v1.1.0", inventory);
    await host.give({ ...small, name: "shared", region: "westus", zones: null });
    await host.run(...apply);
    await stack.give({ ...small, region: "westus", zones: null, resource_group_name: "shared-456789ab" });
    const before = await inventory.list("a");
    await stack.run(...apply);
    expect(await inventory.list("a", "azurerm_resource_group")).toHaveLength(1);
    await stack.run(...destroy);
    expect(await inventory.list("a")).toEqual(before);
  });
});
