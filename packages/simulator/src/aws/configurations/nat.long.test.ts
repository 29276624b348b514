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

/** Returns the default routes of the private subnets, keyed by zone. */
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
  test("M115 the single NAT gateway stays in its zone when an earlier zone is added, and moves when its zone is removed", async () => {
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

  test("M115 switching from per-zone to single moves all routes, and switching NAT off leaves no route", async () => {
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
    // The route table of the control plane subnets has no route blocks, so its routes are kept.
    expect(foreign.filter((id) => ids.includes(id))).toHaveLength(3);
    await stack.give(network({ ...zones, nat: "none" }));
    await stack.run(...apply);
    expect(await listRoutes(inventory)).toMatchObject({ a: { state: "blackhole" } });
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M110 M118 secondary ranges contain subnets, and the ACL of control plane subnets admits them and the given peers", async () => {
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

describe.skipIf(!terraform.found)("NAT gateways of network/aws/v1.2.0 move in two applies", () => {
  const zones = ["a", "b", "c"];
  type Nat = readonly [nat: string, zone?: string];
  const moves: readonly (readonly [from: Nat, to: Nat, retired: readonly string[]])[] = [
    [["per-zone"], ["single", "b"], ["a", "c"]],
    [["single", "a"], ["single", "c"], ["a"]],
    [["single", "b"], ["per-zone"], []],
  ];

  test.each(moves)("M115 when NAT changes from %j to %j, the routes always have a gateway", async (from, to, retired) => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, "v1.2.0");
    const give = async ([nat, zone]: Nat): Promise<void> => {
      const { nat_zones: former = [] } = await stack.outputs();
      const natZone = zone === undefined ? {} : { nat_zone: region + zone };
      await stack.give(network({ aws_azs: zonesOf(...zones), nat, ...natZone, former_nat_zones: former }));
    };
    await give(from);
    await stack.run(...apply);
    const before = await stack.outputs();

    await give(to);
    const plan = await stack.plan();
    expect(Object.entries(plan).filter(([, action]) => action === "delete" || action === "replace")).toEqual([]);
    const steps = listSteps(await stack.run(...apply));
    const created = steps.filter((step) => step.startsWith("create aws_nat_gateway."));
    const moved = steps.filter((step) => step.startsWith("update aws_route."));
    expect(moved.length).toBeGreaterThan(0);
    for (const step of created) expect(steps.indexOf(step)).toBeLessThan(steps.indexOf(moved[0] ?? ""));
    const targets = zones.map((zone) => (to[0] === "per-zone" ? zone : (to[1] ?? "")));
    const gateways = Object.fromEntries(
      (await inventory.list("a", "aws_nat_gateway")).map(({ id, attributes }) => [
        textOf((attributes["tags"] as ValueMap)["cloudwright:part"]).slice(-1),
        { id, retiring: (attributes["tags"] as ValueMap)["cloudwright:retiring"] },
      ]),
    );
    const routes = await listRoutes(inventory);
    expect(zones.map((zone) => routes[zone]?.["nat_gateway_id"])).toEqual(targets.map((zone) => gateways[zone]?.id));
    const marks = retired.map((zone) => [zone, zonesOf(...new Set(targets)).join("+")]);
    expect(
      Object.fromEntries(
        zones.flatMap((zone) => (gateways[zone]?.retiring === undefined ? [] : [[zone, gateways[zone].retiring]])),
      ),
    ).toEqual(Object.fromEntries(marks));
    const outputs = await stack.outputs();
    expect(outputs).toMatchObject({
      nat_zones: zonesOf(...new Set(targets)),
      nat_retiring: zonesOf(...retired),
      nat_public_ips: { length: new Set(targets).size },
    });
    expect(await stack.plan()).toEqual({});

    await give(to);
    const rest = retired.flatMap((zone) => [`aws_eip.nat["${region}${zone}"]`, `aws_nat_gateway.this["${region}${zone}"]`]);
    expect(await stack.plan()).toEqual(Object.fromEntries(rest.map((address) => [address, "delete"])));
    await stack.run(...apply);
    expect(await stack.outputs()).toMatchObject({ ...outputs, nat_retiring: [] });
    expect(await stack.plan()).toEqual({});

    // Switches back to the original NAT mode in one apply, then removes NAT in another.
    await give(from);
    await stack.run(...apply);
    expect(await stack.outputs()).toMatchObject({ nat_zones: before["nat_zones"] });
    await give(["none"]);
    const gone = listSteps(await stack.run(...apply));
    const lastRoute = gone.findLastIndex((step) => step.startsWith("delete aws_route."));
    expect(gone.findIndex((step) => step.startsWith("delete aws_nat_gateway."))).toBeGreaterThan(lastRoute);
    expect(await inventory.list("a", "aws_nat_gateway")).toEqual([]);
    expect(await listRoutes(inventory)).toEqual({});
    expect(await stack.plan()).toEqual({});
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M115 a zone that is added again while its gateway is being retired gets the same gateway and address back", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, "v1.2.0");
    const at = (nat: string, former: readonly string[]): Promise<void> =>
      stack.give(network({ aws_azs: zonesOf(...zones), nat, nat_zone: "eu-west-1a", former_nat_zones: zonesOf(...former) }));
    await at("per-zone", []);
    await stack.run(...apply);
    const before = await stack.outputs();
    await at("single", zones);
    await stack.run(...apply);
    await at("per-zone", ["a"]);
    expect(new Set(Object.values(await stack.plan()))).toEqual(new Set(["update"]));
    await stack.run(...apply);
    expect(await stack.outputs()).toEqual(before);
    expect(await stack.plan()).toEqual({});
  });
});
