import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { changeRecord, type Inventory } from "../../inventory/inventory.ts";
import { listTagged } from "../../inventory/list-tagged.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";

const region = "eu-west-1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const zones = ["eu-west-1a", "eu-west-1b"];
const apply = ["apply", "-auto-approve", "-json"] as const;

async function open(inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, "network/aws/v1.0.0"), inventory);
  onTestFinished(opened.close);
  return opened;
}
const network = (change: object = {}): object => ({ vpc_name: "net", region, aws_azs: zones, owner, ...change });

describe.skipIf(!terraform.found)("network/aws/v1.0.0 on the simulated AWS", () => {
  test("M110 M111 M112 M113 M114 M115 M116 M117 M118 a complete network is created, is stable, changes its NAT, recovers from drift, and is deleted", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory);
    const list = async (type: string): Promise<ValueMap[]> =>
      (await inventory.list("a", type)).map(({ attributes }) => attributes);
    const partsOf = (all: readonly ValueMap[], part: string): ValueMap[] =>
      all.filter(({ tags }) => textOf((tags as ValueMap)["cloudwright:part"]).startsWith(part));
    const deny = { subnets: "public", direction: "in", number: 10, action: "deny", protocol: "tcp", from_port: 22, to_port: 22 };
    const whole = {
      load_balancer_ips: 2,
      interface_endpoints: ["ecr.api"],
      flow_logs: {},
      network_acl_rules: [{ ...deny, cidr: "192.0.2.0/24" }],
      tags: { team: "a" },
    };
    await stack.give(network({ ...whole, nat: "per-zone" }));
    await stack.run(...apply);
    const all = await inventory.list("a");
    expect(await listTagged(inventory, "a", { key: "cloudwright:entity", value: owner.entity })).toHaveLength(all.length);

    expect(await list("aws_vpc")).toMatchObject([{ enable_dns_hostnames: true, enable_dns_support: true, tags: { team: "a" } }]);
    const subnets = await list("aws_subnet");
    const shape = (role: string): string[] =>
      partsOf(subnets, `${role}/`)
        .map(({ cidr_block: range }) => textOf(range))
        .toSorted();
    expect(shape("public")).toEqual(["10.0.0.0/21", "10.0.8.0/21"]);
    expect(shape("private")).toEqual(["10.0.128.0/20", "10.0.144.0/20"]);
    expect(shape("intra")).toEqual(["10.0.64.0/21", "10.0.72.0/21"]);
    for (const { tags } of partsOf(subnets, "public/")) expect(tags).toMatchObject({ "kubernetes.io/role/elb": "1" });
    for (const { tags } of partsOf(subnets, "private/")) {
      expect(tags).toMatchObject({ "kubernetes.io/role/internal-elb": "1", "karpenter.sh/discovery": "net-456789ab" });
    }
    const tables = await list("aws_route_table");
    const targets = partsOf(tables, "private/").map(({ route }) => (route as ValueMap[])[0]?.["nat_gateway_id"]);
    expect(new Set(targets).size).toBe(2);
    expect(partsOf(tables, "intra")[0]?.["route"]).toEqual([]);
    expect(await list("aws_eip")).toHaveLength(4);
    const endpoints = await list("aws_vpc_endpoint");
    const s3 = endpoints.find(({ vpc_endpoint_type: type }) => type === "Gateway");
    expect(s3?.["service_name"]).toBe("com.amazonaws.eu-west-1.s3");
    expect([...((s3?.["route_table_ids"] ?? []) as string[])].toSorted()).toEqual(tables.map(({ id }) => textOf(id)).toSorted());
    const acls = await list("aws_network_acl");
    const [guarded] = partsOf(acls, "this/public");
    const rules = [...((guarded?.["ingress"] ?? []) as ValueMap[])];
    expect(rules.toSorted((a, b) => Number(a["rule_no"]) - Number(b["rule_no"]))).toMatchObject([
      { rule_no: 10, action: "deny", from_port: 22, cidr_block: "192.0.2.0/24" },
      { rule_no: 32000, action: "allow", protocol: "-1", cidr_block: "0.0.0.0/0" },
    ]);
    expect(partsOf(acls, "this/intra")[0]).toMatchObject({
      ingress: [{ cidr_block: "10.0.0.0/16" }],
      egress: [{ cidr_block: "10.0.0.0/16" }],
    });
    expect(await list("aws_default_security_group")).toMatchObject([{ ingress: [], egress: [] }]);
    expect(await list("aws_cloudwatch_log_group")).toMatchObject([{ retention_in_days: 30 }]);
    expect(await stack.outputs()).toMatchObject({ cidr: "10.0.0.0/16", zones, discovery: "net-456789ab" });
    expect(await stack.plan()).toEqual({});

    await stack.give(network({ ...whole, nat: "single" }));
    expect(await stack.plan()).toEqual({
      'aws_nat_gateway.this["eu-west-1b"]': "delete",
      'aws_eip.nat["eu-west-1b"]': "delete",
      'aws_route_table.private["eu-west-1b"]': "update",
    });
    const [group] = await inventory.list("a", "aws_default_security_group");
    const opened = { cidr_blocks: ["0.0.0.0/0"], from_port: 0, to_port: 0, protocol: "-1" };
    await changeRecord(inventory, "a", { type: "aws_default_security_group", id: group?.id ?? "" }, { ingress: [opened] });
    expect(await stack.plan()).toMatchObject({ 'aws_default_security_group.this["network"]': "update" });
    await stack.run(...apply);
    expect(await list("aws_default_security_group")).toMatchObject([{ ingress: [] }]);
    expect((await stack.outputs())["nat_public_ips"]).toHaveLength(1);

    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M033 an existing network is found and used, and nothing in it is changed or deleted", async () => {
    const inventory = createMemoryInventory();
    const made = await open(inventory);
    await made.give(network());
    await made.run(...apply);
    const before = await inventory.list("a");
    const outputs = await made.outputs();
    const given = {
      vpc_id: outputs["network_id"],
      public_subnet_ids: outputs["public_subnet_ids"],
      controlplane_subnet_ids: outputs["intra_subnet_ids"],
    };
    const existing = (change: object = {}): object => network({ vpc_name: "other", aws_azs: [], ...given, ...change });
    const stack = await open(inventory);
    await stack.give(existing());
    expect(await stack.plan()).toEqual({});
    await stack.run(...apply);
    expect(await stack.outputs()).toMatchObject({
      network_id: outputs["network_id"],
      cidr: "10.0.0.0/16",
      public_subnet_ids: outputs["public_subnet_ids"],
      private_subnet_ids: [],
      intra_subnet_ids: outputs["intra_subnet_ids"],
      discovery: "",
    });
    expect(await inventory.list("a")).toEqual(before);
    const refused: [object, string][] = [
      [{ private_subnet_ids: ["subnet-0"] }, `Subnets not found in ${String(outputs["network_id"])}: subnet-0.`],
      [{ vpc_id: "vpc-0" }, "no matching EC2 VPC found"],
      [{ nat: "single" }, "An existing VPC cannot be combined with NAT"],
      [{ aws_azs: zones }, "unless vpc_id names an existing VPC; then it must be empty"],
    ];
    for (const [change, words] of refused) {
      await stack.give(existing(change));
      const { code, output } = await stack.attempt("plan", "-json");
      expect([code, output.includes(words)]).toEqual([1, true]);
    }
    await stack.give(existing());
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual(before);
  });
});
