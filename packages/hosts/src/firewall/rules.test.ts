import { expect, test } from "vitest";
import { checkGroup, checkProtectedPort, type Rule } from "./rules.ts";

const source = { cidr: "10.0.0.0/8" };
const check = (rule: unknown): void => checkGroup({ uid: "g1", rules: [{ protocol: "all", source }, rule as Rule] });

test("rules with every protocol, port range and source are accepted", () => {
  const rules: Rule[] = [
    { protocol: "tcp", source },
    { protocol: "udp", fromPort: 1, toPort: 65_535, source: { group: "g2" } },
    { direction: "egress", protocol: "icmp", source: { cidr: "192.0.2.7" } },
    { protocol: "arp", source: { cidr: "0.0.0.0/0" } },
  ];
  expect(() => checkGroup({ uid: "g1", rules })).not.toThrow();
});

test.each<[unknown, string]>([
  [{ protocol: "tcp", fromPort: 80, toPort: 79, source }, "greater than toPort 79"],
  [{ protocol: "tcp", fromPort: 0, source }, "from 1 to 65535"],
  [{ protocol: "tcp", fromPort: 1, toPort: 65_536, source }, "from 1 to 65535"],
  [{ protocol: "tcp", fromPort: 1.5, source }, "from 1 to 65535"],
  [{ protocol: "tcp", toPort: 5, source }, "toPort requires fromPort"],
  [{ protocol: "icmp", fromPort: 8, source }, "icmp has no ports"],
  [{ protocol: "arp", toPort: 8, source }, "arp has no ports"],
  [{ protocol: "all", fromPort: 8, source }, "all has no ports"],
  [{ protocol: "sctp", source }, "use one of tcp, udp, icmp, arp, all"],
  [{ protocol: "tcp", direction: "in", source }, "use ingress or egress"],
  [{ protocol: "tcp", source: { cidr: "10.0.0.0/33" } }, "not an IPv4 range"],
  [{ protocol: "tcp", source: { cidr: "::/0" } }, "IPv6 is always dropped"],
  [{ protocol: "tcp", source: { cidr: "10.0.0.1; drop" } }, "not an IPv4 range"],
  [{ protocol: "tcp", source: {} }, "set cidr or group"],
])("the rule %j is rejected with the reason", (rule, reason) => {
  expect(() => check(rule)).toThrow(`group g1, rule 2: `);
  expect(() => check(rule)).toThrow(reason);
});

test("addresses and MACs that could inject rules are rejected", () => {
  const port = { uid: "p1", network: "n1", address: "10.0.0.2", mac: "02:00:00:00:00:01", groups: [] };
  checkProtectedPort(port);
  expect(() => checkProtectedPort({ ...port, address: "10.0.0.2 }" })).toThrow(
    expect.objectContaining({ code: "hosts.bad_port" }),
  );
  expect(() => checkProtectedPort({ ...port, mac: "02:00:00:00:00:0g" })).toThrow(
    expect.objectContaining({ code: "hosts.bad_port" }),
  );
  expect(() => checkGroup({ uid: "g1", rules: [], remoteMembers: ["10.0.0.0/8"] })).toThrow(
    expect.objectContaining({ code: "hosts.bad_rule" }),
  );
});
