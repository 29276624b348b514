import { expect, test } from "vitest";
import { textOf } from "../../read-spec.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { azureSecurityGroupBlueprint as blueprint } from "./security-group.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "azure", simulated: true, spec: {} };
const network = "/subscriptions/s/resourceGroups/net-rg/providers/Microsoft.Network/virtualNetworks/net";
const peer = "/subscriptions/s/resourceGroups/net-rg/providers/Microsoft.Network/applicationSecurityGroups/web-1";
const ownId = { $address: "azurerm_application_security_group.this", $attribute: "id" };
const uid = "0199aaaa-0000-7000-8000-0123456789ab";

const aroundOf = ({ spec = {}, outputs = {}, web = {} }: Readonly<Record<string, JsonObject>> = {}) => ({
  ...createTestSurroundings({
    parents: [
      { kind: "Network", uid: "n", name: "net", spec: { region: "westeurope", ...spec }, outputs: { network_id: network } },
    ],
    outputs,
  }),
  references: [{ field: "rules.group", kind: "SecurityGroup", uid: "u-web", name: "web", spec: {}, outputs: web }],
});
const list = (rules: JsonObject[] = [], around = aroundOf(), from = account) => {
  const entity = createTestEntity("SecurityGroup", { uid, name: "db", labels: { team: "a" }, spec: { network: "net", rules } });
  const [members, shared] = blueprint.resources(entity, from, around);
  return { members: members?.attributes ?? {}, shared: shared?.attributes ?? {} };
};
const rulesOf = (rules: JsonObject[], around = aroundOf()) => list(rules, around).shared["security_rule"] as JsonObject[];

test("M180 a group is an application security group, and its rules are in the group that the network shares", () => {
  const { members, shared } = list();
  const place = { resource_group_name: "net-rg", location: "westeurope", ready: true, failed: false };
  expect(members).toEqual({ name: "db-456789ab", tags: { team: "a" }, ...place });
  expect(shared).toMatchObject({ name: "cloudwright-n", ...place });
  expect(shared["security_rule"]).toEqual([
    {
      name: "deny-inbound",
      direction: "Inbound",
      access: "Deny",
      protocol: "*",
      source_port_range: "*",
      destination_port_range: "*",
      source_address_prefix: "*",
      source_application_security_group_ids: [],
      destination_address_prefix: "",
      destination_application_security_group_ids: [ownId],
    },
  ]);
});

test("M180 a rule names a range without its host bits, another group, or the group itself", () => {
  const allowed = rulesOf(
    [
      { protocol: "tcp", fromPort: 22, cidr: "10.1.2.3/8" },
      { protocol: "udp", fromPort: 8000, toPort: 8080, group: "web" },
      { protocol: "icmp", group: "self" },
    ],
    aroundOf({ web: { group_id: peer } }),
  )
    .filter(({ access }) => access === "Allow")
    .toSorted((one, other) => (textOf(one["protocol"]) < textOf(other["protocol"]) ? -1 : 1))
    .map((rule) => [
      rule["protocol"],
      rule["destination_port_range"],
      rule["source_address_prefix"],
      rule["source_application_security_group_ids"],
      rule["destination_application_security_group_ids"],
    ]);
  expect(allowed).toEqual([
    ["Icmp", "*", "", [ownId], [ownId]],
    ["Tcp", "22", "10.0.0.0/8", [], [ownId]],
    ["Udp", "8000-8080", "", [peer], [ownId]],
  ]);
});

test("M180 outgoing traffic is denied only if the group limits it, and the group is then the source of its rules", () => {
  const rules = rulesOf([{ direction: "egress", protocol: "all", cidr: "0.0.0.0/0" }]);
  expect(rules.map(({ name, direction, access }) => [textOf(name).split("-")[0], direction, access])).toEqual([
    ["allow", "Outbound", "Allow"],
    ["deny", "Inbound", "Deny"],
    ["deny", "Outbound", "Deny"],
  ]);
  expect(rules[0]).toMatchObject({
    destination_address_prefix: "0.0.0.0/0",
    source_application_security_group_ids: [ownId],
    destination_application_security_group_ids: [],
  });
});

test("M180 rules for ARP and repeated rules add nothing, and the order of rules does not matter", () => {
  const ssh = { protocol: "tcp", fromPort: 22, cidr: "10.0.0.0/8" };
  const dns = { protocol: "udp", fromPort: 53, cidr: "10.0.0.0/8" };
  expect(rulesOf([ssh, { protocol: "arp", group: "self" }, ssh, dns])).toEqual(rulesOf([dns, ssh]));
});

test("M180 a rule waits for a group that has not been built yet, and one for a group that does not exist is rejected", () => {
  const rule = { protocol: "all", group: "web" };
  expect(rulesOf([rule]).length).toBe(1);
  expect(rulesOf([rule], aroundOf({ web: { group_id: peer } })).length).toBe(2);
  expect(() => rulesOf([{ protocol: "all", group: "nobody" }])).toThrow(
    expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining('"nobody"') as string }),
  );
});

test("M180 groups of an existing network are in the account's resource group, and a group that was built stays in its own", () => {
  const bound = { ...account, spec: { azure: { resourceGroup: "team" } } };
  const existing = { existing: { id: network, privateSubnetIds: [`${network}/subnets/a`] } };
  const groupOf = (around = aroundOf(), from = account) => list([], around, from).members["resource_group_name"];
  expect(groupOf(aroundOf(), bound)).toBe("net-rg");
  expect(groupOf(aroundOf({ spec: existing }))).toBe("net-rg");
  expect(groupOf(aroundOf({ spec: existing }), bound)).toBe("team");
  const built = peer.replace("applicationSecurityGroups/web-1", "networkSecurityGroups/cloudwright-n");
  expect(groupOf(aroundOf({ spec: existing, outputs: { network_security_group_id: built } }), bound)).toBe("net-rg");
});
