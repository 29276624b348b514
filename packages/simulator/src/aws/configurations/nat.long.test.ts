import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";

const region = "eu-west-1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const apply = ["apply", "-auto-approve", "-json"] as const;
const network = (change: object = {}): object => ({ vpc_name: "net", region, owner, ...change });
const zonesOf = (...letters: string[]): string[] => letters.map((letter) => region + letter);

async function open(inventory: Inventory, version = "v1.1.0"): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, "network/aws", version), inventory);
  onTestFinished(opened.close);
  return opened;
}

/** Returns the default routes of the private subnets, by zone. */
async function listRoutes(inventory: Inventory): Promise<Record<string, ValueMap>> {
  const tables = await inventory.list("a", "aws_route_table");
  const routes = await inventory.list("a", "aws_route");
  return Object.fromEntries(
    routes.flatMap(({ attributes }) => {
      const table = tables.find(({ id }) => id === attributes["route_table_id"]);
      const part = textOf((table?.attributes["tags"] as ValueMap | undefined)?.["cloudwright:part"]);
      return part.startsWith("private/") && attributes["destination_cidr_block"] === "0.0.0.0/0"
        ? [[part.slice(-1), attributes] as const]
        : [];
    }),
  );
}

/** Returns the completed resource changes in order of completion, each as `action address`. */
function listSteps({ events }: Awaited<ReturnType<OpenConfiguration["run"]>>): string[] {
  return events.flatMap((event) => {
    const { type, hook } = event as { type: string; hook?: { action: string; resource: { addr: string } } };
    return type === "apply_complete" && hook !== undefined ? [`${hook.action} ${hook.resource.addr}`] : [];
  });
}

async function addForeignRoutes(inventory: Inventory): Promise<string[]> {
  const foreign = { vpc_peering_connection_id: "pcx-1", transit_gateway_id: "tgw-1", gateway_id: "vgw-1" };
  const ids: string[] = [];
  for (const { id: tableId } of await inventory.list("a", "aws_route_table")) {
    for (const [index, [name, target]] of Object.entries(foreign).entries()) {
      const destination = `172.${16 + index}.0.0/16`;
      const id = `${tableId}_${destination}`;
      const attributes = { id, region, route_table_id: tableId, destination_cidr_block: destination, [name]: target };
      await inventory.put("a", { type: "aws_route", id, attributes });
      ids.push(id);
    }
  }
  return ids;
}

describe.skipIf(!terraform.found)("routes and NAT gateways of network/aws/v1.1.0", () => {
  test("M115 the single NAT gateway stays in its zone when an earlier zone is added, and moves when its zone goes", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory);
    await stack.give(network({ aws_azs: zonesOf("b"), nat: "single" }));
    await stack.run(...apply);
    expect((await stack.outputs())["nat_zones"]).toEqual(zonesOf("b"));
    const [gateway] = await inventory.list("a", "aws_nat_gateway");

    await stack.give(network({ aws_azs: zonesOf("a", "b"), nat: "single", nat_zone: "eu-west-1b" }));
    const plan = await stack.plan();
    expect(Object.entries(plan).filter(([, action]) => action !== "create" && action !== "update")).toEqual([]);
    expect(Object.keys(plan).filter((address) => /nat/.test(address))).toEqual([]);
    await stack.run(...apply);
    expect((await inventory.list("a", "aws_nat_gateway")).map(({ id }) => id)).toEqual([gateway?.id]);
    expect(await listRoutes(inventory)).toMatchObject({
      a: { nat_gateway_id: gateway?.id },
      b: { nat_gateway_id: gateway?.id },
    });

    await stack.give(network({ aws_azs: zonesOf("a"), nat: "single", nat_zone: "eu-west-1b" }));
    await stack.run(...apply);
    expect(await listRoutes(inventory)).toMatchObject({ a: { state: "active" } });
    expect(await stack.plan()).toEqual({});
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M115 from per-zone to single all routes move, and from NAT to none no route is left", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory);
    const zones = { aws_azs: zonesOf("a", "b", "c") };
    await stack.give(network({ ...zones, nat: "per-zone" }));
    await stack.run(...apply);
    const foreign = await addForeignRoutes(inventory);
    await stack.give(network({ ...zones, nat: "single", nat_zone: "eu-west-1b" }));
    await stack.run(...apply);
    const [left, ...others] = await inventory.list("a", "aws_nat_gateway");
    expect(others).toEqual([]);
    for (const route of Object.values(await listRoutes(inventory))) {
      expect(route).toMatchObject({ nat_gateway_id: left?.id, state: "active" });
    }
    await stack.give(network({ ...zones, nat: "none" }));
    const gone = listSteps(await stack.run(...apply));
    expect(gone.indexOf('delete aws_route.private["eu-west-1a"]')).toBeLessThan(
      gone.indexOf('delete aws_nat_gateway.this["eu-west-1b"]'),
    );
    expect(await listRoutes(inventory)).toEqual({});
    const ids = (await inventory.list("a", "aws_route")).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(foreign));
    expect(await stack.plan()).toEqual({});
  });

  test("M115 v1.0.0 behaves on the simulator as on AWS: it deletes foreign routes and leaves a blackhole without NAT", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, "v1.0.0");
    const zones = { aws_azs: zonesOf("a") };
    await stack.give(network({ ...zones, nat: "single" }));
    await stack.run(...apply);
    const foreign = await addForeignRoutes(inventory);
    await stack.run(...apply);
    const ids = (await inventory.list("a", "aws_route")).map(({ id }) => id);
    // The route table of the control plane subnets has no route blocks, so its routes stay.
    expect(foreign.filter((id) => ids.includes(id))).toHaveLength(3);
    await stack.give(network({ ...zones, nat: "none" }));
    await stack.run(...apply);
    expect(await listRoutes(inventory)).toMatchObject({ a: { state: "blackhole" } });
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M110 M118 secondary ranges hold subnets, and the ACL of control plane subnets admits them and the given peers", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory);
    const ranges = { aws_public_subnet_cidrs: ["10.0.0.0/24"], aws_eks_controlplane_subnet_cidrs: ["10.0.1.0/24"] };
    const secondary = { secondary_cidr_ranges: ["100.64.0.0/16"], aws_private_subnet_cidrs: ["100.64.0.0/18"] };
    const peers = { controlplane_peer_cidrs: ["172.16.0.0/16"] };
    await stack.give(network({ aws_azs: zonesOf("a"), interface_endpoints: ["sts"], ...ranges, ...secondary, ...peers }));
    await stack.run(...apply);
    const acls = (await inventory.list("a", "aws_network_acl")).map(({ attributes }) => attributes);
    const intra = acls.find(({ tags }) => (tags as ValueMap)["cloudwright:part"] === "this/intra");
    for (const direction of ["ingress", "egress"]) {
      const rules = (intra![direction] as ValueMap[]).map(({ rule_no: number, cidr_block: range }) => [number, range]);
      expect(rules.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
        [32_000, "10.0.0.0/16"],
        [32_001, "100.64.0.0/16"],
        [32_002, "172.16.0.0/16"],
      ]);
    }
    const subnets = (await inventory.list("a", "aws_subnet")).map(({ attributes }) => attributes);
    expect(subnets.filter((each) => each["map_public_ip_on_launch"] === true)).toEqual([]);
    expect(subnets.map((each) => each["cidr_block"])).toContain("100.64.0.0/18");
    expect(await stack.plan()).toEqual({});
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });
});
