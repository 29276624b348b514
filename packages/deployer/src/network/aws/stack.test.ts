import { Secret } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { awsNetwork } from "./stack.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "aws", simulated: true, spec: {} };

const createNetwork = (spec: JsonObject) =>
  createTestEntity("Network", { name: "net", labels: { team: "a" }, spec: { region: "eu-west-1", ...spec } });
const around = createTestSurroundings();
const render = (spec: JsonObject, version = "v1.0.0") => awsNetwork.variables(createNetwork(spec), account, around, version);

test("M063 M110 a default network has the default range, three zones and owner tags, in both versions", () => {
  const owned = { nat: "none", owner: { project: "default", entity: "uid-1" }, tags: { team: "a" } };
  const first = render({}, "v0.1.0");
  expect(first).toMatchObject({ name: "net", cidr: "10.0.0.0/16", ...owned });
  const zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
  expect(Object.keys(first["zones"] as object)).toEqual(zones);
  const whole = render({});
  expect(whole).toMatchObject({ vpc_name: "net", cidr_range: "10.0.0.0/16", aws_azs: zones, s3_endpoint: true, ...owned });
  const ranges = (role: string): unknown[] =>
    Object.values(first["zones"] as Record<string, JsonObject>).map((zone) => zone[role]);
  expect(whole["aws_public_subnet_cidrs"]).toEqual(ranges("public"));
  expect(whole["aws_private_subnet_cidrs"]).toEqual(ranges("private"));
  expect(whole["aws_eks_controlplane_subnet_cidrs"]).toEqual(ranges("intra"));
});

test("M063 given subnets are assigned to the zones in order", () => {
  const subnets = { public: ["10.0.1.0/24", "10.0.2.0/24"], private: ["10.0.3.0/24"], intra: [] };
  const spec = { zones: ["a", "eu-west-1b"], subnets };
  expect(render(spec, "v0.1.0")["zones"]).toEqual({
    "eu-west-1a": { public: "10.0.1.0/24", private: "10.0.3.0/24" },
    "eu-west-1b": { public: "10.0.2.0/24" },
  });
  expect(render(spec)).toMatchObject({
    aws_azs: ["eu-west-1a", "eu-west-1b"],
    aws_public_subnet_cidrs: ["10.0.1.0/24", "10.0.2.0/24"],
    aws_private_subnet_cidrs: ["10.0.3.0/24"],
    aws_eks_controlplane_subnet_cidrs: [],
  });
});

test("M063 M115 M116 M117 M118 AWS-specific fields become variables", () => {
  const rule = { subnets: "public", direction: "in", number: 10, action: "deny", cidr: "192.0.2.0/24" };
  const aws = {
    loadBalancerIps: 2,
    flowLogs: true,
    flowLogRetentionDays: 90,
    interfaceEndpoints: ["ecr.api"],
    withoutS3Endpoint: true,
    aclRules: [rule, { ...rule, direction: "out", protocol: "tcp", fromPort: 22, toPort: 22 }],
  };
  expect(render({ aws, nat: "single" })).toMatchObject({
    nat: "single",
    load_balancer_ips: 2,
    flow_logs: { retention_days: 90 },
    interface_endpoints: ["ecr.api"],
    s3_endpoint: false,
    network_acl_rules: [
      { ...rule, protocol: "all", from_port: 0, to_port: 0 },
      { ...rule, direction: "out", protocol: "tcp", from_port: 22, to_port: 22 },
    ],
  });
});

test("M033 for an existing network, only ids are passed on", () => {
  const existing = { id: "vpc-1", publicSubnetIds: ["subnet-1"], controlPlaneSubnetIds: ["subnet-2"] };
  expect(render({ existing })).toEqual({
    vpc_name: "net",
    region: "eu-west-1",
    vpc_id: "vpc-1",
    public_subnet_ids: ["subnet-1"],
    private_subnet_ids: [],
    controlplane_subnet_ids: ["subnet-2"],
    owner: { project: "default", entity: "uid-1" },
    tags: { team: "a" },
  });
});

test("M063 empty values from the API count as unset", () => {
  const spec = { aws: { loadBalancerIps: 0, flowLogs: false, interfaceEndpoints: [] }, nat: "" };
  expect(render(spec, "v0.1.0")["nat"]).toBe("none");
  expect(render(spec)).toMatchObject({ nat: "none", load_balancer_ips: 0, flow_logs: null, interface_endpoints: [] });
});

test.each(["v0.1.0", "v1.0.0", "v1.1.0", "v1.2.0"])("M063 every rendered value is a variable of %s", (version) => {
  const text = readFileSync(join(ownConfigurations, "network/aws", version, "variables.tf"), "utf8");
  const names = [...text.matchAll(/^variable "(\w+)"/gm)].map((match) => match[1] ?? "");
  const existing = version === "v0.1.0" ? {} : render({ existing: { id: "vpc-1" } }, version);
  expect(names.toSorted()).toEqual(Object.keys({ ...render({}, version), ...existing }).toSorted());
});

const rule = { subnets: "public", direction: "in", number: 10, action: "deny", cidr: "192.0.2.0/24" };
test.each([
  [{ region: "europe-west4-x" }, "deployer.bad_spec", "spec.region"],
  [{ cidr: "10.0.0.0/12" }, "deployer.bad_spec", "spec.cidr"],
  [{ zones: ["us-east-1a"] }, "deployer.bad_spec", "spec.zones"],
  [{ zones: ["a"], subnets: { public: ["10.0.0.0/24", "10.0.1.0/24"] } }, "deployer.bad_spec", "spec.subnets.public"],
  [{ zones: ["a"], subnets: { private: ["10.0.0.0/24"] }, nat: "single" }, "deployer.bad_spec", "spec.nat"],
  [{ existing: { id: "net" } }, "deployer.bad_spec", "spec.existing.id"],
  [{ existing: { id: "vpc-1", privateSubnetIds: ["private"] } }, "deployer.bad_spec", "spec.existing.privateSubnetIds"],
  [{ aws: { aclRules: [rule, rule] } }, "deployer.bad_spec", "spec.aws.aclRules[1].number"],
  [{ existing: { id: "vpc-1" } }, "deployer.not_supported", "spec.existing", "v0.1.0"],
  [{ aws: { flowLogs: true } }, "deployer.not_supported", "spec.aws.flowLogs", "v0.1.0"],
  [{ aws: { natZone: "a" } }, "deployer.not_supported", "spec.aws.natZone", "v1.0.0"],
  [{ aws: { publicIpsOnLaunch: false } }, "deployer.not_supported", "spec.aws.publicIpsOnLaunch", "v1.0.0"],
  [{ zones: ["a"], aws: { natZone: "b" } }, "deployer.bad_spec", "spec.aws.natZone", "v1.1.0"],
  [{ aws: { ipv6: true } }, "deployer.not_supported", "spec.aws.ipv6", "v1.0.0"],
  [{ aws: { ipv6: true } }, "deployer.not_supported", "v1.2.0", "v1.1.0"],
  [
    { zones: ["eu-west-1-lon-1a"], subnets: { public: ["10.0.0.0/24"] }, aws: { ipv6: true } },
    "deployer.bad_spec",
    "spec.aws.ipv6",
    "v1.2.0",
  ],
  [{ aws: { secondaryCidrs: ["100.64.0.0/10"] } }, "deployer.bad_spec", "spec.aws.secondaryCidrs[0]", "v1.1.0"],
  [{ aws: { secondaryCidrs: ["100.64.0.0/16", "10.0.8.0/21"] } }, "deployer.bad_spec", "spec.aws.secondaryCidrs[1]", "v1.1.0"],
])("M063 %j is rejected with %s, which names the field %s", (spec, code, field, version?: string) => {
  expect(() => render(spec as JsonObject, version)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(field) as string }),
  );
});

test("M070 outputs become the status, and invalid outputs cause a fault", () => {
  const output = (value: string | string[]) => ({ isSensitive: false, type: "dynamic", value: new Secret(value) });
  const outputs = {
    network_id: output("vpc-1"),
    public_subnet_ids: output(["subnet-1"]),
    private_subnet_ids: output([]),
    intra_subnet_ids: output([]),
  };
  expect(awsNetwork.status(outputs)).toEqual({
    network_id: "vpc-1",
    public_subnet_ids: ["subnet-1"],
    private_subnet_ids: [],
    intra_subnet_ids: [],
  });
  const lists = ["zones", "nat_public_ips", "load_balancer_public_ips", "load_balancer_ip_ids"];
  const more = {
    cidr: output("10.0.0.0/16"),
    discovery: output("net-1"),
    ...Object.fromEntries(lists.map((name) => [name, output([])])),
  };
  expect(awsNetwork.status({ ...outputs, ...more })).toMatchObject({ network_id: "vpc-1", cidr: "10.0.0.0/16", zones: [] });
  expect(() => awsNetwork.status({ ...outputs, cidr: output("10.0.0.0/16") })).toThrow(
    expect.objectContaining({ code: "deployer.bad_outputs" }),
  );
  expect(awsNetwork.status({ ...outputs, ...more, nat_zones: output(["eu-west-1b"]) })).toMatchObject({
    nat_zones: ["eu-west-1b"],
  });
  const natZones = { ...outputs, ...more, nat_zones: output(["eu-west-1b"]), ipv6_cidr: output("") };
  expect(awsNetwork.status({ ...natZones, nat_retiring: output([]) })).not.toHaveProperty("next_run");
  expect(awsNetwork.status({ ...natZones, nat_retiring: output(["eu-west-1a", "eu-west-1c"]) })).toMatchObject({
    nat_retiring: ["eu-west-1a", "eu-west-1c"],
    next_run: expect.stringContaining("in eu-west-1a, eu-west-1c") as string,
  });
  const { network_id: _left, ...rest } = outputs;
  expect(() => awsNetwork.status(rest)).toThrow(expect.objectContaining({ code: "deployer.bad_outputs" }));
});

test("M115 the single NAT gateway keeps its zone when zones are added, even if v1.0.0 created it", () => {
  const findZone = (outputs: JsonObject, zones: string[], version = "v1.1.0"): unknown =>
    awsNetwork.variables(createNetwork({ zones, nat: "single" }), account, createTestSurroundings({ outputs }), version)[
      "nat_zone"
    ];
  expect(findZone({}, ["a", "b"])).toBeNull();
  expect(findZone({ nat_zones: ["eu-west-1b"] }, ["a", "b"])).toBe("eu-west-1b");
  expect(findZone({ nat_zones: ["eu-west-1b", "eu-west-1c"] }, ["a", "c"])).toBe("eu-west-1c");
  expect(findZone({ nat_zones: ["eu-west-1b"] }, ["a"])).toBeNull();
  expect(findZone({ nat_zones: [], zones: ["eu-west-1b"], nat_public_ips: [] }, ["a", "b"])).toBeNull();
  const before = { zones: ["eu-west-1b", "eu-west-1c"], nat_public_ips: ["203.0.113.1"] };
  expect(findZone(before, ["a", "b", "c"])).toBe("eu-west-1b");
  expect(findZone({ ...before, nat_public_ips: [] }, ["a", "b"])).toBeNull();
  expect(findZone(before, ["a", "b"], "v1.0.0")).toBeUndefined();
});

test("M110 IPv6 can be turned on for an existing network, but not off", () => {
  const renderIpv6 = (aws: JsonObject, outputs: JsonObject): unknown =>
    awsNetwork.variables(createNetwork({ aws }), account, createTestSurroundings({ outputs }), "v1.2.0")["ipv6"];
  expect(renderIpv6({}, {})).toBe(false);
  expect(renderIpv6({ ipv6: true }, { ipv6_cidr: "" })).toBe(true);
  expect(renderIpv6({}, { ipv6_cidr: "" })).toBe(false);
  expect(renderIpv6({ ipv6: true }, { ipv6_cidr: "2001:db8::/56" })).toBe(true);
  expect(() => renderIpv6({}, { ipv6_cidr: "2001:db8::/56" })).toThrow(
    expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining("cannot be turned off") as string }),
  );
});

test("M115 a run passes on the zones of the current NAT gateways, so that the gateways are kept until the routes have moved", () => {
  const former = (outputs: JsonObject, zones: string[], version = "v1.2.0"): unknown =>
    awsNetwork.variables(createNetwork({ zones, nat: "single" }), account, createTestSurroundings({ outputs }), version)[
      "former_nat_zones"
    ];
  const built = { nat_zones: ["eu-west-1a", "eu-west-1b"] };
  expect(former({}, ["a", "b"])).toEqual([]);
  expect(former(built, ["a", "b"])).toEqual(["eu-west-1a", "eu-west-1b"]);
  // The subnet of a removed zone cannot keep its gateway.
  expect(former(built, ["b", "c"])).toEqual(["eu-west-1b"]);
  // The second run deletes the gateways that the first one retired.
  expect(former({ nat_zones: ["eu-west-1a"], nat_retiring: ["eu-west-1b"] }, ["a", "b"])).toEqual(["eu-west-1a"]);
  expect(former({ nat_zones: [1, null, "us-east-1a"] }, ["a"])).toEqual([]);
  expect(former(built, ["a", "b"], "v1.1.0")).toBeUndefined();
});

test("M115 X034 a preview says which gateways and addresses a second run deletes", () => {
  const change = (before: JsonObject, after: JsonObject) =>
    awsNetwork.describeChange?.({
      address: 'aws_nat_gateway.this["eu-west-1b"]',
      mode: "managed",
      resourceType: "aws_nat_gateway",
      name: "this",
      action: "update",
      replacePaths: [],
      changedPaths: [],
      before: { tags: before },
      after: { tags: after },
    });
  const tag = { "cloudwright:retiring": "eu-west-1a+eu-west-1c" };
  const told = expect.objectContaining({
    action: "update",
    message: expect.stringContaining("to eu-west-1a, eu-west-1c") as string,
  });
  expect(change({ team: "a" }, { team: "a", ...tag })).toEqual([told]);
  expect(change({ "cloudwright:retiring": "eu-west-1a" }, tag)).toEqual([told]);
  expect(change(tag, { ...tag, team: "a" })).toBeUndefined();
  expect(change(tag, {})).toBeUndefined();
  expect(change({}, { team: "a" })).toBeUndefined();
});

test("M110 M138 new networks do not assign public addresses; an upgraded network behaves as before", () => {
  const isAssigning = (aws: JsonObject, outputs: JsonObject): unknown =>
    awsNetwork.variables(createNetwork({ aws }), account, createTestSurroundings({ outputs }), "v1.1.0")["public_ips_on_launch"];
  expect(isAssigning({}, {})).toBe(false);
  expect(isAssigning({ publicIpsOnLaunch: true }, {})).toBe(true);
  expect(isAssigning({}, { infra_version: "v1.0.0" })).toBe(true);
  expect(isAssigning({}, { infra_version: "v1.1.0", infra_origin: "v0.1.0" })).toBe(true);
  expect(isAssigning({ publicIpsOnLaunch: false }, { infra_version: "v1.0.0" })).toBe(false);
  const aws = { natZone: "b", secondaryCidrs: ["100.64.0.0/16"], controlPlanePeerCidrs: ["172.16.0.0/16"] };
  expect(render({ aws, nat: "single" }, "v1.1.0")).toMatchObject({
    nat_zone: "eu-west-1b",
    secondary_cidr_ranges: ["100.64.0.0/16"],
    controlplane_peer_cidrs: ["172.16.0.0/16"],
  });
});

test("M032 M115 default routes through the network's own or deleted gateways have an address, and other routes have none", () => {
  const tagged = new Map([
    ["rtb-1", 'aws_route_table.private["eu-west-1a"]'],
    ["rtb-2", 'aws_route_table.public["network"]'],
    ["nat-1", 'aws_nat_gateway.this["eu-west-1a"]'],
    ["igw-1", 'aws_internet_gateway.this["network"]'],
  ]);
  const find = (names: string[], declared = ["aws_route.private", "aws_route.public"]): string | undefined =>
    awsNetwork.findUntagged({ type: "aws_route", names }, tagged, (name) => declared.includes(name), createNetwork({}));
  expect(find(["rtb-1", "0.0.0.0/0", "nat-1", "active"])).toBe('aws_route.private["eu-west-1a"]');
  expect(find(["rtb-2", "0.0.0.0/0", "igw-1", "active"])).toBe('aws_route.public["network"]');
  expect(find(["rtb-1", "0.0.0.0/0", "nat-9", "blackhole"])).toBe('aws_route.private["eu-west-1a"]');
  const ipv6 = ["aws_route.private_ipv6", "aws_route.public_ipv6"];
  tagged.set("eigw-1", 'aws_egress_only_internet_gateway.this["network"]');
  expect(find(["rtb-1", "::/0", "eigw-1", "active"], ipv6)).toBe('aws_route.private_ipv6["eu-west-1a"]');
  expect(find(["rtb-2", "::/0", "igw-1", "active"], ipv6)).toBe('aws_route.public_ipv6["network"]');
  for (const foreign of [
    ["rtb-1", "0.0.0.0/0", "tgw-1", "active"],
    ["rtb-1", "0.0.0.0/0", "tgw-1", "blackhole"],
    ["rtb-1", "0.0.0.0/0", "nat-9", "active"],
    ["rtb-1", "172.16.0.0/16", "nat-1", "active"],
    ["rtb-9", "0.0.0.0/0", "nat-1", "active"],
  ]) {
    expect(find(foreign)).toBeUndefined();
  }
  expect(find(["rtb-1", "0.0.0.0/0", "nat-1", "active"], [])).toBeUndefined();
});

test("M032 resources without tags are found through their owner", () => {
  const tagged = new Map([
    ["subnet-1", 'aws_subnet.public["eu-west-1a"]'],
    ["net-flow-logs-1", 'aws_iam_role.flow_logs["network"]'],
  ]);
  const find = (type: string, ...names: string[]): string | undefined =>
    awsNetwork.findUntagged({ type, names }, tagged, () => true, createNetwork({ aws: { secondaryCidrs: ["100.64.0.0/16"] } }));
  expect(find("aws_route_table_association", "rtb-1", "subnet-1")).toBe('aws_route_table_association.public["eu-west-1a"]');
  expect(find("aws_iam_role_policy", "write", "net-flow-logs-1")).toBe('aws_iam_role_policy.flow_logs["network"]');
  expect(find("aws_route", "subnet-1")).toBeUndefined();
  const association = "aws_vpc_ipv4_cidr_block_association";
  expect(find(association, "vpc-1", "100.64.0.0/16")).toBe(`${association}.secondary["100.64.0.0/16"]`);
  expect(find(association, "vpc-1", "100.65.0.0/16")).toBeUndefined();
});
