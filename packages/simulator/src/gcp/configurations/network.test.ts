import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readTags } from "@cloudwright/contract/clouds/gcp/descriptions";
import type { CloudRecord, Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";

const region = "europe-west1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const zones = ["europe-west1-b", "europe-west1-c"];
const apply = ["apply", "-auto-approve", "-json"] as const;

async function open(inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, "network/gcp/v1.0.0"), inventory);
  onTestFinished(opened.close);
  return opened;
}
const network = (change: object = {}): object => ({ name: "net", project: "acme-project", region, zones, owner, ...change });

describe.skipIf(!terraform.found)("network/gcp/v1.0.0 on the simulated Google Cloud", () => {
  test("M119 M136 a complete network is created, is stable, changes its NAT and is deleted", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory);
    await stack.give(network({ nat: "regional", nat_ips: 2, load_balancer_ips: 1, flow_logs: {}, labels: { team: "a" } }));
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    expect(await stack.outputs()).toMatchObject({
      network_id: "projects/acme-project/global/networks/net-456789ab",
      private_subnet_ids: ["projects/acme-project/regions/europe-west1/subnetworks/net-456789ab"],
      public_subnet_ids: [],
      intra_subnet_ids: [],
      cidr: "10.0.0.0/16",
      zones,
      pod_range_name: "pods",
      service_range_name: "services",
    });
    const all = await inventory.list("a");
    const tagsOf = ({ attributes }: CloudRecord) => readTags(attributes);
    const untagged = all.filter((record) => tagsOf(record)["cloudwright:entity"] !== owner.entity);
    expect(untagged.map(({ type }) => type)).toEqual(["google_compute_router_nat"]);
    await stack.give(network({ nat: "regional", load_balancer_ips: 1, flow_logs: {}, labels: { team: "a" } }));
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });
});
