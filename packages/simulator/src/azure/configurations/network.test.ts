import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";

const region = "westeurope";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const apply = ["apply", "-auto-approve", "-json"] as const;
const whole = {
  zones: ["1", "2", "3"],
  nat: "single",
  nat_ips: 2,
  load_balancer_ips: 2,
  pod_subnet: true,
  api_server_subnet: true,
  private_dns: true,
  service_endpoints: ["Microsoft.Storage"],
  security_rules: [
    {
      name: "no-smtp",
      priority: 100,
      direction: "out",
      action: "deny",
      protocol: "tcp",
      from_port: 25,
      to_port: 25,
      cidr: "0.0.0.0/0",
    },
  ],
  routes: [{ name: "office", cidr: "172.16.0.0/16", next_hop: "appliance", next_hop_ip: "10.0.0.4" }],
  tags: { team: "a" },
};

async function open(inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, "network/azure/v1.0.0"), inventory);
  onTestFinished(opened.close);
  return opened;
}
const network = (change: object = {}): object => ({ name: "net", region, owner, ...change });

describe.skipIf(!terraform.found)("network/azure/v1.0.0 on the simulated Azure", () => {
  test("M110 M111 M112 M113 M114 M115 M116 M117 M118 a complete network is created, is stable, and is deleted", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory);
    await stack.give(network(whole));
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    expect(await stack.outputs()).toMatchObject({ cidr: "10.0.0.0/16", resource_group_name: "net-456789ab" });
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });
});
