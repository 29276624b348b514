import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { gcpSecurityGroupBlueprint as blueprint } from "./security-group.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "gcp", simulated: true, spec: {} };
const networkId = "projects/shop/global/networks/main";
const uid = "0199aaaa-0000-7000-8000-0123456789ab";
const networkOf = (outputs: JsonObject) => ({
  kind: "Network",
  uid: "n",
  name: "net",
  spec: { region: "europe-west1" },
  outputs,
});
// Another group may not have been built yet, so it may have no outputs.
const referenceOf = (name: string) => ({
  field: "rules.group",
  kind: "SecurityGroup",
  uid: `u-${name}`,
  name,
  spec: {},
  outputs: {},
});
const render = (rules: readonly JsonObject[], groups = ["web"], outputs: JsonObject = { network_id: networkId }) => {
  const entity = createTestEntity("SecurityGroup", { uid, name: "db", spec: { network: "net", rules: [...rules] } });
  const around = { ...createTestSurroundings({ parents: [networkOf(outputs)] }), references: groups.map(referenceOf) };
  return blueprint.resources(entity, account, around);
};
const tag = `cw-${uid}`;

test("M180 a group without rules denies all incoming connections, before the rule that opens the network", () => {
  expect(render([])).toEqual([
    {
      type: "google_compute_firewall",
      name: "ingress-deny",
      needs: [],
      attributes: {
        name: "db-456789ab-ingress-deny",
        network: networkId,
        direction: "INGRESS",
        priority: 900,
        source_ranges: ["0.0.0.0/0"],
        source_tags: [],
        destination_ranges: [],
        target_tags: [tag],
        allow: [],
        deny: [{ protocol: "all", ports: [] }],
        disabled: false,
      },
    },
  ]);
});

test("M180 rules with the same ports are one firewall rule, whose sources are ranges and the tags of groups", () => {
  const resources = render([
    { protocol: "tcp", fromPort: 22, cidr: "192.168.0.0/16" },
    { protocol: "tcp", fromPort: 22, toPort: 22, cidr: "10.0.0.0/8" },
    { protocol: "tcp", fromPort: 22, group: "web" },
    { protocol: "udp", fromPort: 8000, toPort: 8080, group: "self" },
    { protocol: "tcp", group: "web" },
    { protocol: "icmp", cidr: "0.0.0.0/0" },
    { protocol: "all", cidr: "10.1.0.0/16" },
    { protocol: "arp", group: "web" },
  ]);
  const allowed = resources
    .slice(1)
    .map(({ name, attributes: { allow = null, source_ranges: ranges, source_tags: tags, priority } }) => ({
      name,
      allow,
      from: [...(ranges as string[]), ...(tags as string[])],
      priority,
    }));
  const priority = 800;
  expect(allowed).toEqual([
    {
      name: "ingress-tcp-22",
      allow: [{ protocol: "tcp", ports: ["22"] }],
      from: ["10.0.0.0/8", "192.168.0.0/16", "cw-u-web"],
      priority,
    },
    { name: "ingress-udp-8000-8080", allow: [{ protocol: "udp", ports: ["8000-8080"] }], from: [tag], priority },
    { name: "ingress-tcp", allow: [{ protocol: "tcp", ports: [] }], from: ["cw-u-web"], priority },
    { name: "ingress-icmp", allow: [{ protocol: "icmp", ports: [] }], from: ["0.0.0.0/0"], priority },
    { name: "ingress-all", allow: [{ protocol: "all", ports: [] }], from: ["10.1.0.0/16"], priority },
  ]);
});

test("M180 an egress rule denies all other outgoing traffic, after its own traffic is allowed", () => {
  const resources = render([{ direction: "egress", protocol: "udp", fromPort: 53, cidr: "10.0.0.2/32" }]);
  expect(resources.map(({ name }) => name)).toEqual(["ingress-deny", "egress-udp-53", "egress-deny"]);
  expect(resources[1]?.attributes).toMatchObject({
    direction: "EGRESS",
    priority: 800,
    destination_ranges: ["10.0.0.2/32"],
    source_ranges: [],
  });
  expect(resources[2]).toMatchObject({
    needs: ["google_compute_firewall.egress-udp-53"],
    attributes: { direction: "EGRESS", priority: 900, destination_ranges: ["0.0.0.0/0"], target_tags: [tag] },
  });
  // Google Cloud answers ARP requests itself, but the rule still closes the group.
  expect(render([{ direction: "egress", protocol: "arp", cidr: "10.0.0.0/8" }]).map(({ name }) => name)).toEqual([
    "ingress-deny",
    "egress-deny",
  ]);
});

test("M180 more groups than fit into a firewall rule are divided among several", () => {
  const names = Array.from({ length: 70 }, (_, index) => `g${index + 10}`);
  const rules = names.map((group) => ({ protocol: "tcp", fromPort: 22, group }));
  const resources = render([...rules, { protocol: "tcp", fromPort: 22, cidr: "10.0.0.0/8" }], names).slice(1);
  expect(resources.map(({ name, attributes }) => [name, (attributes["source_tags"] as string[]).length])).toEqual([
    ["ingress-tcp-22", 30],
    ["ingress-tcp-22-b", 30],
    ["ingress-tcp-22-c", 10],
  ]);
  expect(resources.map(({ attributes }) => attributes["source_ranges"])).toEqual([["10.0.0.0/8"], [], []]);
});

test("M180 names of firewall rules fit into Google Cloud's limit", () => {
  const entity = createTestEntity("SecurityGroup", {
    uid,
    name: "a".repeat(63),
    spec: { network: "net", rules: [{ protocol: "tcp", fromPort: 10_000, toPort: 20_000, cidr: "10.0.0.0/8" }] },
  });
  const around = createTestSurroundings({ parents: [networkOf({ network_id: networkId })] });
  for (const { attributes } of blueprint.resources(entity, account, around))
    expect(attributes["name"]).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])$/);
});

test("M180 unknown groups, groups as destinations and networks that are not built are rejected by name", () => {
  const refused: readonly (readonly [() => unknown, code: string, word: string])[] = [
    [() => render([{ protocol: "all", group: "nobody" }]), "deployer.bad_spec", '"nobody"'],
    [() => render([{ direction: "egress", protocol: "all", group: "web" }]), "deployer.bad_spec", "spec.rules[0].group"],
    [() => render([], [], {}), "deployer.bad_spec", '"net"'],
  ];
  for (const [work, code, word] of refused)
    expect(work).toThrow(expect.objectContaining({ code, message: expect.stringContaining(word) as string }));
});

test("M180 the status has the network tag of the group", () => {
  const entity = createTestEntity("SecurityGroup", { uid, spec: { network: "net" } });
  expect(blueprint.outputs(() => ({}), entity, createTestSurroundings())).toEqual({ group_id: tag });
});
