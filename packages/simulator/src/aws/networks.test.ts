import { expect, test, vi } from "vitest";
import { textOf } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";
import { callProvider, type ProviderCalls } from "../testing/call-provider.ts";
import { awsProvider } from "./provider.ts";

const region = "eu-west-1";

async function make(aws: ProviderCalls, type: string, config: ValueMap): Promise<ValueMap & { readonly id: string }> {
  const { state, said } = await aws.create(type, config);
  if (state === null) throw new Error(said.join());
  return state as ValueMap & { readonly id: string };
}

async function openNetwork(): Promise<{ aws: ProviderCalls; vpc: string; subnet: string }> {
  const aws = callProvider(awsProvider, { config: { region } });
  const { id: vpc } = await make(aws, "aws_vpc", { cidr_block: "10.0.0.0/16" });
  const wanted = { vpc_id: vpc, cidr_block: "10.0.0.0/24", availability_zone: "eu-west-1b" };
  const { id: subnet } = await make(aws, "aws_subnet", wanted);
  return { aws, vpc, subnet };
}

test("M110 a VPC and a subnet have the attributes that AWS computes", async () => {
  const { aws, vpc, subnet } = await openNetwork();
  const account = (await aws.data("aws_caller_identity", {})).state?.["account_id"];
  expect((await aws.inventory.find("a", { type: "aws_vpc", id: vpc }))?.attributes).toMatchObject({
    arn: `arn:aws:ec2:eu-west-1:${textOf(account)}:vpc/${vpc}`,
    enable_dns_support: true,
    default_security_group_id: expect.stringMatching(/^sg-[0-9a-f]{17}$/),
  });
  expect((await aws.inventory.find("a", { type: "aws_subnet", id: subnet }))?.attributes).toMatchObject({
    availability_zone_id: "euw1-az2",
    map_public_ip_on_launch: false,
  });
});

test.each([
  ["aws_vpc", { cidr_block: "127.0.0.0/16" }, "InvalidVpc.Range: The CIDR '127.0.0.0/16' is invalid."],
  ["aws_vpc", { cidr_block: "10.0.0.0/8" }, "InvalidVpc.Range: The CIDR '10.0.0.0/8' is invalid."],
  ["aws_subnet", { cidr_block: "10.1.0.0/24" }, "InvalidSubnet.Range: The CIDR '10.1.0.0/24' is invalid."],
  [
    "aws_subnet",
    { cidr_block: "10.0.0.128/25" },
    "InvalidSubnet.Conflict: The CIDR '10.0.0.128/25' conflicts with another subnet",
  ],
  ["aws_subnet", { cidr_block: "10.0.1.0/24", availability_zone: "eu-west-1z" }, "InvalidParameterValue: Value (eu-west-1z)"],
  ["aws_subnet", { cidr_block: "10.0.1.0/24", vpc_id: "vpc-0" }, "InvalidVpcID.NotFound: The vpc ID 'vpc-0' does not exist"],
  ["aws_nat_gateway", { allocation_id: "eipalloc-0" }, "InvalidAllocationID.NotFound"],
  ["aws_nat_gateway", { connectivity_type: "public" }, "Gateway.NotAttached: Network vpc-"],
  ["aws_route", { route_table_id: "rtb-0", destination_cidr_block: "0.0.0.0/0" }, "InvalidRouteTableID.NotFound"],
  ["aws_route_table", { route: [{ cidr_block: "0.0.0.0/0", nat_gateway_id: "nat-0" }] }, "InvalidNatGatewayID.NotFound"],
  ["aws_vpc_security_group_ingress_rule", { security_group_id: "sg-0", ip_protocol: "-1" }, "InvalidGroup.NotFound"],
  ["aws_vpc_endpoint", { service_name: "com.amazonaws.us-east-1.s3" }, "InvalidServiceName"],
  ["aws_launch_template", { instance_type: "t9.huge" }, "InvalidInstanceType"],
  ["aws_ebs_volume", { availability_zone: "eu-west-1z", size: 1 }, "InvalidZone.NotFound"],
])("M110 %s with %j is rejected with the error that AWS returns", async (type, config, words) => {
  const { aws, vpc, subnet } = await openNetwork();
  const has = awsProvider.schema.resources[type]?.block.attributes ?? {};
  const around = { ...(has["vpc_id"] ? { vpc_id: vpc } : {}), ...(has["subnet_id"] ? { subnet_id: subnet } : {}) };
  const { state, said } = await aws.create(type, { ...around, ...(config as ValueMap) });
  expect(state).toBeNull();
  expect(said).toEqual([expect.stringContaining(`api error ${words}`)]);
});

test("M032 a resource cannot be deleted before its dependents, and owned resources are deleted with their owner", async () => {
  const { aws, vpc, subnet } = await openNetwork();
  const gateway = await make(aws, "aws_internet_gateway", { vpc_id: vpc });
  const address = await make(aws, "aws_eip", { domain: "vpc" });
  const nat = await make(aws, "aws_nat_gateway", { subnet_id: subnet, allocation_id: address.id });
  const table = await make(aws, "aws_route_table", { vpc_id: vpc, route: [{ cidr_block: "0.0.0.0/0", nat_gateway_id: nat.id }] });
  const association = await make(aws, "aws_route_table_association", { subnet_id: subnet, route_table_id: table.id });
  const group = await make(aws, "aws_security_group", { name: "web", vpc_id: vpc });
  await make(aws, "aws_vpc_security_group_ingress_rule", { security_group_id: group.id, ip_protocol: "-1" });
  const inventory = async (type: string) => aws.inventory.list("a", type);
  const refuse = async (type: string, state: ValueMap | undefined): Promise<string> =>
    (await aws.remove(type, state ?? {})).said.join();
  const [network] = await inventory("aws_vpc");
  const [part] = await inventory("aws_subnet");
  expect(await refuse("aws_vpc", network?.attributes)).toContain("api error DependencyViolation: The vpc 'vpc-");
  expect(await refuse("aws_subnet", part?.attributes)).toContain("api error DependencyViolation");
  expect(await refuse("aws_internet_gateway", gateway)).toContain("has some mapped public address(es)");
  expect(await refuse("aws_eip", address)).toContain("api error InvalidIPAddress.InUse");
  expect(await refuse("aws_route_table", table)).toContain("api error DependencyViolation: The routeTable 'rtb-");
  expect(await refuse("aws_nat_gateway", nat)).toBe("");
  // A leftover network interface of a cluster's load balancer also blocks the deletion of its subnet.
  const left = { id: "eni-1", subnet_id: subnet, region };
  await aws.inventory.put("a", { type: "aws_network_interface", id: left.id, attributes: left });
  expect(await refuse("aws_subnet", part?.attributes)).toContain("aws_network_interface eni-1");
  await aws.inventory.delete("a", { type: "aws_network_interface", id: left.id });
  expect(await refuse("aws_subnet", part?.attributes)).toBe("");
  expect((await aws.read("aws_route_table_association", association)).state).toBeNull();
  expect(await refuse("aws_security_group", group)).toBe("");
  expect(await inventory("aws_vpc_security_group_ingress_rule")).toEqual([]);
  for (const [type, state] of [
    ["aws_route_table", table],
    ["aws_internet_gateway", gateway],
    ["aws_eip", address],
    ["aws_vpc", network?.attributes],
  ] as const) {
    expect(await refuse(type, state)).toBe("");
  }
  expect(await aws.inventory.list("a")).toEqual([]);
});

test("M118 a network's default security group and ACL can be adopted, and both styles of rules are kept apart", async () => {
  const { aws, vpc } = await openNetwork();
  const attributes: ValueMap = (await aws.inventory.find("a", { type: "aws_vpc", id: vpc }))?.attributes ?? {};
  const group = await make(aws, "aws_default_security_group", { vpc_id: vpc });
  expect(group).toMatchObject({ id: attributes["default_security_group_id"], name: "default" });
  const list = await make(aws, "aws_default_network_acl", { default_network_acl_id: attributes["default_network_acl_id"] ?? "" });
  expect(list["vpc_id"]).toBe(vpc);
  const rule = { type: "ingress", protocol: "tcp", from_port: 443, to_port: 443, cidr_blocks: ["0.0.0.0/0"] };
  await make(aws, "aws_security_group_rule", { ...rule, security_group_id: group.id });
  const twin = await aws.create("aws_security_group_rule", { ...rule, security_group_id: group.id });
  expect(twin.said.join()).toContain("InvalidPermission.Duplicate");
  await make(aws, "aws_network_acl_rule", { network_acl_id: list.id, rule_number: 100, protocol: "-1", rule_action: "allow" });
  const taken = { network_acl_id: list.id, rule_number: 100, protocol: "6", rule_action: "deny" };
  expect((await aws.create("aws_network_acl_rule", taken)).said.join()).toContain("NetworkAclEntryAlreadyExists");
});

test("M110 a VPC gets an IPv6 range, its subnets get parts of it, and the range cannot be removed while a subnet uses it", async () => {
  const aws = callProvider(awsProvider, { config: { region } });
  const plain = await make(aws, "aws_vpc", { cidr_block: "10.1.0.0/16" });
  expect(plain).toMatchObject({ ipv6_cidr_block: "", ipv6_association_id: "" });
  const vpc = await make(aws, "aws_vpc", { cidr_block: "10.0.0.0/16", assign_generated_ipv6_cidr_block: true });
  expect(vpc["ipv6_cidr_block"]).toMatch(/^2001:db8:[0-9a-f]{4}:[0-9a-f]{2}00::\/56$/);
  const start = textOf(vpc["ipv6_cidr_block"]).replace("00::/56", "");
  const subnet = (index: number, ipv6: string, vpcId = vpc.id) =>
    aws.create("aws_subnet", { vpc_id: vpcId, cidr_block: `10.0.${index}.0/24`, ipv6_cidr_block: ipv6 });
  const first = await subnet(0, `${start}01::/64`);
  expect(first.state).toMatchObject({ ipv6_cidr_block_association_id: expect.stringMatching(/^subnet-cidr-assoc-/) as string });
  expect((await subnet(1, `${start}01::/64`)).said.join()).toContain("InvalidSubnet.Conflict");
  expect((await subnet(1, `${start}00::/60`)).said.join()).toContain("InvalidSubnet.Range");
  expect((await subnet(1, "2001:db8:ffff:ff00::/64")).said.join()).toContain("InvalidSubnet.Range");
  const without = { vpc_id: vpc.id, cidr_block: "10.0.2.0/24", assign_ipv6_address_on_creation: true };
  expect((await aws.create("aws_subnet", without)).said.join()).toContain("InvalidParameterValue");
});

test("X031 a route table whose provider was killed before it created the routes is read without them", async () => {
  const { aws, vpc } = await openNetwork();
  const gateway = await make(aws, "aws_internet_gateway", { vpc_id: vpc });
  const put = vi.spyOn(aws.inventory, "put").mockRejectedValue(new Error("killed"));
  const config = { vpc_id: vpc, route: [{ cidr_block: "0.0.0.0/0", gateway_id: gateway.id }] };
  await aws.create("aws_route_table", config).catch(() => undefined);
  put.mockRestore();
  const [table] = await aws.inventory.list("a", "aws_route_table");
  expect(await aws.inventory.list("a", "aws_route")).toEqual([]);
  const { state } = await aws.read("aws_route_table", table?.attributes ?? {});
  expect(state).toMatchObject({ id: table?.id, route: [] });
});

test("M115 a route whose gateway was deleted is a blackhole until it leads to another gateway", async () => {
  const { aws, vpc } = await openNetwork();
  const table = await make(aws, "aws_route_table", { vpc_id: vpc });
  const gateway = await make(aws, "aws_egress_only_internet_gateway", { vpc_id: vpc });
  const target = { route_table_id: table.id, destination_ipv6_cidr_block: "::/0" };
  const route = await make(aws, "aws_route", { ...target, egress_only_gateway_id: gateway.id });
  expect(route["state"]).toBe("active");
  await aws.remove("aws_egress_only_internet_gateway", gateway);
  const found = await aws.inventory.find("a", { type: "aws_route", id: route.id });
  expect(found?.attributes["state"]).toBe("blackhole");
  const other = await make(aws, "aws_egress_only_internet_gateway", { vpc_id: vpc });
  const moved = await aws.update("aws_route", found?.attributes ?? {}, { ...target, egress_only_gateway_id: other.id });
  expect(moved.state).toMatchObject({ state: "active", egress_only_gateway_id: other.id });
});
