import { expect, test } from "vitest";
import { renderNoRuleset, renderRuleset } from "./render-ruleset.ts";
import type { Group, ProtectedPort } from "./rules.ts";

const anywhere = { cidr: "0.0.0.0/0" };
const nodes: Group = {
  uid: "nodes",
  rules: [
    { protocol: "arp", source: { group: "nodes" } },
    { protocol: "all", source: { group: "nodes" } },
    { protocol: "tcp", fromPort: 30_000, toPort: 32_767, source: anywhere },
    { protocol: "tcp", fromPort: 22, source: { cidr: "192.0.2.9/24" } },
    { protocol: "icmp", source: anywhere },
  ],
  remoteMembers: ["10.0.0.9"],
};
const limited: Group = {
  uid: "limited",
  rules: [
    { direction: "egress", protocol: "udp", source: { cidr: "10.0.0.0/8" } },
    { direction: "egress", protocol: "arp", source: anywhere },
  ],
};
const ports: ProtectedPort[] = [
  { uid: "a", network: "n", address: "10.0.0.2", mac: "02:00:00:00:00:0a", groups: ["nodes"] },
  { uid: "b", network: "n", address: "10.0.0.3", mac: "02:00:00:00:00:0b", groups: ["nodes", "limited"] },
  { uid: "c", network: "n", address: "10.0.0.4", mac: "02:00:00:00:00:0c", groups: [] },
];

test("the ruleset for groups and ports matches the fixture", async () => {
  await expect(renderRuleset({ groups: [nodes, limited], ports })).toMatchFileSnapshot("fixtures/ruleset.nft");
});

test("the ruleset does not depend on the order of groups and ports", () => {
  const forward = renderRuleset({ groups: [nodes, limited], ports });
  expect(renderRuleset({ groups: [limited, nodes], ports: ports.toReversed() })).toBe(forward);
});

test("without known ports all traffic of ports is dropped, and removing all rules leaves no table", async () => {
  await expect(renderRuleset({ groups: [], ports: [] })).toMatchFileSnapshot("fixtures/empty.nft");
  expect(renderNoRuleset()).toBe("table bridge cwfw\ndelete table bridge cwfw\ntable inet cwfw\ndelete table inet cwfw\n");
});
