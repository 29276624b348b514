import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { listTagged } from "../../inventory/list-tagged.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { apply, destroy, owner, wholeNetwork } from "./cases.ts";

async function open(place: string, inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, place), inventory);
  onTestFinished(opened.close);
  return opened;
}

describe.skipIf(!terraform.found)("network/azure/v1.1.0 on the simulated Azure", () => {
  test("M110 M111 M112 M113 M114 M115 M116 M117 M118 a complete network is created, is stable, is owned, and is deleted", async () => {
    const inventory = createMemoryInventory();
    const stack = await open("network/azure/v1.1.0", inventory);
    await stack.give(wholeNetwork);
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    const list = async (type: string): Promise<ValueMap[]> =>
      (await inventory.list("a", type)).map(({ attributes }) => attributes);
    const all = await inventory.list("a");
    expect(await listTagged(inventory, "a", { key: "cloudwright:entity", value: owner.entity })).toHaveLength(all.length);
    const outputs = await stack.outputs();
    const group = "^/subscriptions/[0-9a-f-]{36}/resourceGroups/net-456789ab";
    const vnet = `${group}/providers/Microsoft.Network/virtualNetworks/net-456789ab`;
    expect(outputs["network_id"]).toMatch(new RegExp(`${vnet}$`));
    expect(outputs["private_subnet_ids"]).toEqual([expect.stringMatching(new RegExp(`${vnet}/subnets/nodes$`))]);
    expect(outputs["intra_subnet_ids"]).toEqual([expect.stringMatching(new RegExp(`${vnet}/subnets/api-server$`))]);
    expect(outputs["pod_subnet_id"]).toMatch(new RegExp(`${vnet}/subnets/pods$`));
    expect(outputs).toMatchObject({
      cidr: "10.0.0.0/16",
      zones: ["westeurope-1", "westeurope-2", "westeurope-3"],
      resource_group_name: "net-456789ab",
      public_subnet_ids: [],
      outbound_type: "userAssignedNATGateway",
    });
    expect(outputs["private_dns_zone_id"]).toMatch(/privateDnsZones\/456789ab\.privatelink\.westeurope\.azmk8s\.io$/);
    expect(new Set([...(outputs["nat_public_ips"] as string[]), ...(outputs["load_balancer_public_ips"] as string[])]).size).toBe(
      4,
    );

    const subnets = await list("azurerm_subnet");
    const ranges = subnets.map(({ name, address_prefixes: prefixes }) => [name, (prefixes as string[])[0]]);
    expect(Object.fromEntries(ranges)).toEqual({ nodes: "10.0.0.0/18", pods: "10.0.128.0/17", "api-server": "10.0.64.0/20" });
    expect(subnets.map(({ default_outbound_access_enabled: implicit }) => implicit)).toEqual([false, false, false]);
    expect((await list("azurerm_network_security_rule")).map(({ name }) => textOf(name)).toSorted()).toEqual([
      "deny-management",
      "load-balancers",
      "no-smtp",
    ]);
    expect(await list("azurerm_storage_account")).toEqual([]);
    await stack.run(...destroy);
    expect(await inventory.list("a")).toEqual([]);
  });
});
