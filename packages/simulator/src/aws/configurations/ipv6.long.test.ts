import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import type { Inventory } from "../../inventory/inventory.ts";

const region = "eu-west-1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const apply = ["apply", "-auto-approve", "-json"] as const;
const network = (letters: string, change: object = {}): object => ({
  vpc_name: "net",
  region,
  owner,
  aws_azs: letters.split("").map((letter) => region + letter),
  nat: "single",
  ...change,
});

async function open(inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, "network/aws/v1.2.0"), inventory);
  onTestFinished(opened.close);
  return opened;
}

/** Returns the IPv6 default routes, as `part target`. */
async function listRoutes(inventory: Inventory): Promise<string[]> {
  const tables = new Map((await inventory.list("a", "aws_route_table")).map(({ id, attributes }) => [id, attributes]));
  const routes = (await inventory.list("a", "aws_route")).map(({ attributes }) => attributes);
  const found = routes.filter((route) => route["destination_ipv6_cidr_block"] === "::/0");
  return found
    .map((route) => {
      const tags = tables.get(textOf(route["route_table_id"]))?.["tags"] as ValueMap;
      const target = textOf(route["gateway_id"]) || textOf(route["egress_only_gateway_id"]);
      return `${textOf(tags["cloudwright:part"])} ${target.split("-")[0] ?? ""}`;
    })
    .toSorted();
}

/** Returns the IPv6 range and the address assignment of each subnet, keyed by part. */
async function listSubnets(inventory: Inventory): Promise<Record<string, readonly [string, unknown]>> {
  const subnets = (await inventory.list("a", "aws_subnet")).map(({ attributes }) => attributes);
  return Object.fromEntries(
    subnets.map((subnet) => [
      textOf((subnet["tags"] as ValueMap)["cloudwright:part"]),
      [textOf(subnet["ipv6_cidr_block"]), subnet["assign_ipv6_address_on_creation"]] as const,
    ]),
  );
}

describe.skipIf(!terraform.found)("IPv6 in network/aws/v1.2.0", () => {
  test("M110 a live network gets IPv6 without a replacement; ranges are kept when zones are added; without NAT there is no outbound route", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory);
    await stack.give(network("b"));
    await stack.run(...apply);
    expect((await stack.outputs())["ipv6_cidr"]).toBe("");
    expect(await listRoutes(inventory)).toEqual([]);

    await stack.give(network("b", { ipv6: true }));
    expect(Object.values(await stack.plan()).filter((action) => action !== "create" && action !== "update")).toEqual([]);
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    const range = String((await stack.outputs())["ipv6_cidr"]);
    const at = (place: string): string => range.replace("00::/56", `${place}::/64`);
    const first = await listSubnets(inventory);
    expect(first).toEqual({
      "public/eu-west-1b": [at("01"), false],
      "intra/eu-west-1b": [at("09"), true],
      "private/eu-west-1b": [at("11"), true],
    });
    expect(await listRoutes(inventory)).toEqual(["private/eu-west-1b eigw", "public/network igw"]);
    const acls = (await inventory.list("a", "aws_network_acl")).map(({ attributes }) => attributes);
    const allowed = Object.fromEntries(
      acls.map(({ tags, ingress, egress }) => [
        textOf((tags as ValueMap)["cloudwright:part"]),
        [ingress, egress].map((rules) => (rules as ValueMap[]).map((rule) => rule["ipv6_cidr_block"]).filter(Boolean)),
      ]),
    );
    expect(allowed).toEqual({
      "this/public": [["::/0"], ["::/0"]],
      "this/private": [["::/0"], ["::/0"]],
      "this/intra": [[range], [range]],
    });

    await stack.give(network("abc", { ipv6: true, public_ips_on_launch: true }));
    await stack.run(...apply);
    const later = await listSubnets(inventory);
    for (const [part, [ipv6]] of Object.entries(first)) expect(later[part]?.[0]).toBe(ipv6);
    expect(new Set(Object.values(later).map(([ipv6]) => ipv6)).size).toBe(9);
    expect(later["public/eu-west-1a"]).toEqual([at("00"), true]);
    expect(await stack.plan()).toEqual({});

    await stack.give(network("abc", { ipv6: true, nat: "none" }));
    await stack.run(...apply);
    expect(await listRoutes(inventory)).toEqual(["public/network igw"]);
    expect(await inventory.list("a", "aws_egress_only_internet_gateway")).toEqual([]);
    expect(await stack.plan()).toEqual({});

    // AWS does not remove the range while subnets use it. The platform rejects a spec that would remove it.
    await stack.give(network("abc", { nat: "none" }));
    expect((await stack.attempt(...apply)).output).toContain("InvalidCidrBlock.InUse");
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });
});
