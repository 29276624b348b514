import { Secret } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { azureNetwork } from "./stack.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "azure", simulated: true, spec: {} };
const createNetwork = (spec: JsonObject, labels: Record<string, string> = {}) =>
  createTestEntity("Network", { name: "net", labels, spec: { region: "westeurope", ...spec } });
const render = (spec: JsonObject, version = "v1.1.0", outputs: JsonObject = {}) =>
  azureNetwork.variables(createNetwork(spec), account, createTestSurroundings({ outputs }), version);
const vnet =
  "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/main/providers/Microsoft.Network/virtualNetworks/net";

test("M110 a default network has a node subnet, no NAT gateway, and the zones of its region", () => {
  expect(render({})).toMatchObject({
    name: "net",
    region: "westeurope",
    cidr_range: "10.0.0.0/16",
    zones: ["1", "2", "3"],
    node_subnet_cidr: "10.0.0.0/18",
    pod_subnet: false,
    api_server_subnet: false,
    nat: "none",
    default_outbound_access: false,
    owner: { project: "default", entity: "uid-1" },
  });
  expect(render({ region: "westus" })).toMatchObject({ zones: null });
  expect(render({ zones: ["2", "westeurope-1"] })).toMatchObject({ zones: ["1", "2"] });
});

test.each(["v1.0.0", "v1.1.0"])("M110 every rendered value is a variable of %s, and every variable is rendered", (version) => {
  const text = readFileSync(join(ownConfigurations, "network/azure", version, "variables.tf"), "utf8");
  const names = [...text.matchAll(/^variable "(\w+)"/gm)].map((match) => match[1] ?? "");
  const existing = { existing: { id: vnet, privateSubnetIds: [`${vnet}/subnets/nodes`] } };
  const rendered = { ...render({}, version), ...render(existing, version) };
  expect(names.toSorted()).toEqual(Object.keys(rendered).toSorted());
  const removal = azureNetwork.removalVariables?.(createNetwork({}), createTestSurroundings(), version) ?? {};
  expect(Object.keys(removal).filter((name) => !names.includes(name))).toEqual([]);
});

test("M138 an upgrade keeps implicit outbound addresses only where the network relied on them", () => {
  const isImplicit = (spec: JsonObject, outputs: JsonObject): unknown =>
    render(spec, "v1.1.0", outputs)["default_outbound_access"];
  const first = { infra_version: "v1.0.0" };
  expect(isImplicit({}, first)).toBe(true);
  expect(isImplicit({ nat: "single" }, first)).toBe(false);
  expect(isImplicit({ azure: { defaultOutboundAccess: false } }, first)).toBe(false);
  expect(isImplicit({}, { infra_version: "v1.1.0", infra_origin: "v1.0.0" })).toBe(true);
  expect(isImplicit({}, { infra_version: "v1.1.0", infra_origin: "v1.1.0" })).toBe(false);
});

test("M136 labels become tags: a slash becomes a colon, and reserved labels are left out", () => {
  const labels = { team: "a", "example.com/team": "b", "app.kubernetes.io/name": "c", "cloudwright/entity": "d", azureteam: "e" };
  const { tags } = azureNetwork.variables(createNetwork({}, labels), account, createTestSurroundings(), "v1.1.0");
  expect(tags).toEqual({ team: "a", "example.com:team": "b" });
});

const rule = { name: "a", priority: 100, direction: "in", action: "allow", cidr: "0.0.0.0/0" };
test.each<[JsonObject, string, string?]>([
  [{ region: "eu-west-1" }, "spec.region"],
  [{ zones: ["4"] }, "spec.zones"],
  [{ region: "westus", zones: ["1"] }, "it has no zones"],
  [{ region: "westus", nat: "per-zone" }, "spec.nat"],
  [{ azure: { natIps: 2 } }, "spec.azure.natIps"],
  [{ cidr: "172.31.0.0/16" }, "172.31.0.0/16"],
  [{ cidr: "10.0.0.0/25" }, "spec.cidr"],
  [{ subnets: { public: ["10.0.0.0/24"] } }, "spec.subnets.public"],
  [{ subnets: { private: ["10.0.0.0/24", "10.0.1.0/24"] } }, "spec.subnets.private"],
  [{ subnets: { private: ["10.1.0.0/24"] } }, "spec.subnets.private[0]"],
  [{ subnets: { intra: ["10.0.0.0/28"] } }, "spec.subnets.intra[0]"],
  [{ azure: { podSubnetCidr: "10.0.0.0/24" } }, "spec.azure.podSubnetCidr"],
  [{ azure: { securityRules: [{ ...rule, name: "load-balancers" }] } }, "spec.azure.securityRules[0].name"],
  [{ azure: { securityRules: [{ ...rule, priority: 4096 }] } }, "spec.azure.securityRules[0].priority"],
  [{ azure: { securityRules: [rule, { ...rule, name: "b" }] } }, "spec.azure.securityRules[1].priority"],
  [
    { azure: { routes: [1, 2].map((each) => ({ name: `r${each}`, cidr: "10.1.0.0/16", nextHop: "none" })) } },
    "spec.azure.routes[1].cidr",
  ],
  [{ azure: { defaultOutboundAccess: true } }, "spec.infra.version to v1.1.0", "v1.0.0"],
  [{ existing: { id: "net" } }, "spec.existing.id"],
  [{ existing: { id: vnet } }, "spec.existing.privateSubnetIds"],
  [{ existing: { id: vnet, privateSubnetIds: [`${vnet}x/subnets/nodes`] } }, "spec.existing.privateSubnetIds"],
  [{ existing: { id: vnet, privateSubnetIds: [`${vnet}/subnets/a`], publicSubnetIds: ["x"] } }, "spec.existing.publicSubnetIds"],
])("M110 the network %j is rejected with a message that contains %s", (spec, words, version?: string) => {
  expect(() => render(spec, version)).toThrow(expect.objectContaining({ message: expect.stringContaining(words) as string }));
});

test("M032 resources without tags are found through the resource that contains them, and those of others are not", () => {
  const nsg = vnet.replace("virtualNetworks/net", "networkSecurityGroups/net-nodes");
  const tagged = new Map([
    [vnet, 'azurerm_virtual_network.this["network"]'],
    [nsg, 'azurerm_network_security_group.nodes["network"]'],
    ["pip-0", 'azurerm_public_ip.nat["0"]'],
  ]);
  const entity = createNetwork({ azure: { securityRules: [rule] } });
  const find = (type: string, ...names: string[]): string | undefined =>
    azureNetwork.findUntagged({ type, names }, tagged, () => true, entity);
  expect(find("azurerm_subnet", `${vnet}/subnets/nodes`)).toBe('azurerm_subnet.this["nodes"]');
  expect(find("azurerm_subnet", `${vnet}/subnets/theirs`)).toBeUndefined();
  expect(find("azurerm_subnet", `${vnet}2/subnets/nodes`)).toBeUndefined();
  expect(find("azurerm_network_security_rule", `${nsg}/securityRules/a`)).toBe('azurerm_network_security_rule.nodes["a"]');
  expect(find("azurerm_network_security_rule", `${nsg}/securityRules/theirs`)).toBeUndefined();
  expect(find("azurerm_nat_gateway_public_ip_association", "nat", "pip-0")).toBe(
    'azurerm_nat_gateway_public_ip_association.nat["0"]',
  );
  expect(find("azurerm_subnet_network_security_group_association", `${vnet}/subnets/pods`, nsg)).toBe(
    'azurerm_subnet_network_security_group_association.this["pods"]',
  );
});

test("M070 outputs become the status, and incomplete outputs are rejected", () => {
  const output = (value: string | string[]) => ({ isSensitive: false, type: "string", value: new Secret(value) });
  expect(() => azureNetwork.status({ network_id: output(vnet) })).toThrow(
    expect.objectContaining({ code: "deployer.bad_outputs" }),
  );
});
