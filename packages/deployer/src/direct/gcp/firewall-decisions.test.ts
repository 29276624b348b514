import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { gcpSecurityGroupBlueprint as blueprint } from "./security-group.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "gcp", simulated: true, spec: {} };
const outputs = { network_id: "projects/shop/global/networks/main" };
const around = {
  ...createTestSurroundings({ parents: [{ kind: "Network", uid: "n", name: "net", spec: { region: "europe-west1" }, outputs }] }),
  references: ["a", "b", "c"].map((name) => ({
    field: "rules.group",
    kind: "SecurityGroup",
    uid: `u-${name}`,
    name,
    spec: {},
    outputs: {},
  })),
};

interface Rule {
  readonly direction: "ingress" | "egress";
  readonly protocol: "tcp" | "udp" | "icmp" | "all";
  readonly fromPort: number;
  readonly toPort: number;
  readonly cidr: string;
  readonly group: string;
}

interface Firewall {
  readonly direction: string;
  readonly priority: number;
  readonly source_ranges: readonly string[];
  readonly source_tags: readonly string[];
  readonly destination_ranges: readonly string[];
  readonly target_tags: readonly string[];
  readonly allow: readonly { readonly protocol: string; readonly ports: readonly string[] }[];
  readonly deny: Firewall["allow"];
}

/** The rules that every network of the platform has. */
const ownRules: readonly Firewall[] = [
  { direction: "INGRESS", priority: 1000, source_ranges: ["10.0.0.0/8"], allow: [{ protocol: "all", ports: [] }], deny: [] },
  { direction: "INGRESS", priority: 65_535, source_ranges: ["0.0.0.0/0"], allow: [], deny: [{ protocol: "all", ports: [] }] },
].map((rule) => ({ ...rule, source_tags: [], destination_ranges: [], target_tags: [] }));

/** A packet that opens a connection. The peer is an instance with groups, or an address outside. */
interface Packet {
  readonly direction: Rule["direction"];
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly port: number;
  readonly address: string;
  readonly peerGroups: readonly string[];
}

const matches = (range: string, address: string): boolean =>
  range === "0.0.0.0/0" || address.startsWith(range.replace(/(\.0)+\/\d+$/, "."));

/** Decides as Google Cloud does: the matching rule with the lowest number decides, and denials precede permissions of the same number. */
function decide(rules: readonly Firewall[], tags: readonly string[], packet: Packet): boolean {
  const { direction, protocol, port, address, peerGroups } = packet;
  const isMeant = (rule: Firewall): boolean => {
    if (rule.direction !== direction.toUpperCase()) return false;
    if (rule.target_tags.length > 0 && !rule.target_tags.some((tag) => tags.includes(tag))) return false;
    const ranges = direction === "ingress" ? rule.source_ranges : rule.destination_ranges;
    const isFrom = rule.source_tags.some((tag) => peerGroups.includes(tag.replace("cw-u-", "")));
    if (!isFrom && !ranges.some((range) => matches(range, address))) return false;
    return [...rule.allow, ...rule.deny].some(
      (traffic) =>
        traffic.protocol === "all" ||
        (traffic.protocol === protocol &&
          (traffic.ports.length === 0 ||
            traffic.ports.some((text) => {
              const [first = "", last = first] = text.split("-");
              return port >= Number(first) && port <= Number(last);
            }))),
    );
  };
  const found = rules
    .filter(isMeant)
    .toSorted((one, other) => one.priority - other.priority || other.deny.length - one.deny.length)[0];
  return found === undefined ? direction === "egress" : found.allow.length > 0;
}

/** Decides as the contract of security groups says. */
function expectDecision(groups: ReadonlyMap<string, readonly Rule[]>, own: readonly string[], packet: Packet): boolean {
  const rules = own.flatMap((name) => (groups.get(name) ?? []).map((rule) => ({ ...rule, owner: name })));
  const mine = rules.filter(({ direction }) => direction === packet.direction);
  if (packet.direction === "egress" && mine.length === 0) return true;
  return mine.some(({ protocol, fromPort, toPort, cidr, group, owner }) => {
    if (protocol !== "all" && protocol !== packet.protocol) return false;
    if (fromPort > 0 && (packet.port < fromPort || packet.port > toPort)) return false;
    return group === "" ? matches(cidr, packet.address) : packet.peerGroups.includes(group === "self" ? owner : group);
  });
}

test("M180 Google Cloud's decisions about random traffic are those of the contract, for instances with several groups", () => {
  const random = createRandom(printSeed("firewall decisions in Google Cloud")).next;
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const names = ["a", "b", "c"];
  const createRule = (owner: string): Rule => {
    const direction = pick(["ingress", "ingress", "egress"] as const);
    const protocol = pick(["tcp", "udp", "icmp", "all"] as const);
    const fromPort = protocol === "tcp" || protocol === "udp" ? pick([0, 22, 80]) : 0;
    const toPort = fromPort === 0 ? 0 : fromPort + pick([0, 5]);
    const isByGroup = direction === "ingress" && random() < 0.5;
    const group = isByGroup ? pick(["self", ...names.filter((name) => name !== owner)]) : "";
    return {
      direction,
      protocol,
      fromPort,
      toPort,
      group,
      cidr: isByGroup ? "" : pick(["10.0.0.0/8", "10.1.0.0/16", "0.0.0.0/0"]),
    };
  };
  let allowed = 0;
  for (let round = 0; round < 300; round += 1) {
    const groups = new Map(names.map((name) => [name, Array.from({ length: Math.floor(random() * 4) }, () => createRule(name))]));
    const rules = [...groups].flatMap(([name, all]) => {
      const spec = { network: "net", rules: all.map((rule): JsonObject => ({ ...rule })) };
      const entity = createTestEntity("SecurityGroup", { uid: `u-${name}`, name, spec });
      return blueprint.resources(entity, account, around).map(({ attributes }) => attributes as unknown as Firewall);
    });
    for (let count = 0; count < 20; count += 1) {
      const own = names.filter(() => random() < 0.5);
      if (own.length === 0) continue;
      const packet: Packet = {
        direction: pick(["ingress", "egress"] as const),
        protocol: pick(["tcp", "udp", "icmp"] as const),
        port: pick([22, 25, 80, 443]),
        address: pick(["10.1.0.7", "10.2.0.7", "203.0.113.7"]),
        peerGroups: names.filter(() => random() < 0.3),
      };
      const isAllowed = decide(
        [...ownRules, ...rules],
        own.map((name) => `cw-u-${name}`),
        packet,
      );
      expect({ groups, own, packet, isAllowed }).toEqual({ groups, own, packet, isAllowed: expectDecision(groups, own, packet) });
      if (isAllowed) allowed += 1;
    }
  }
  expect(allowed).toBeGreaterThan(100);
});
