import { expect, test } from "vitest";
import { buildRule, newRule, parseRules, renderRule } from "./rules.ts";

test("M015 rules are the same after they were shown in the form", () => {
  const rules = [
    { direction: "ingress", protocol: "tcp", fromPort: 22, toPort: 22, cidr: "10.0.0.0/8" },
    { direction: "egress", protocol: "udp", fromPort: 1000, toPort: 2000, group: "web" },
    { direction: "ingress", protocol: "arp", group: "self" },
  ];
  expect(parseRules(rules)?.map(buildRule)).toEqual(rules);
  expect(parseRules(undefined)).toEqual([]);
});

test("M015 ports of a protocol without ports are not sent", () => {
  expect(buildRule({ ...newRule, protocol: "icmp", fromPort: 8, toPort: 9 })).toEqual({
    direction: "ingress",
    protocol: "icmp",
    cidr: "0.0.0.0/0",
  });
});

test.each([
  ["a list that is none", "tcp"],
  ["an unknown field", [{ protocol: "tcp", cidr: "0.0.0.0/0", log: true }]],
  ["two peers", [{ protocol: "tcp", cidr: "0.0.0.0/0", group: "web" }]],
  ["an unknown protocol", [{ protocol: "sctp", cidr: "0.0.0.0/0" }]],
])("M015 rules that the form cannot show stay in the YAML: %s", (_what, rules) => {
  expect(parseRules(rules)).toBeUndefined();
});

test("M015 a rule is described in a few words", () => {
  expect(renderRule({ protocol: "tcp", fromPort: 80, toPort: 81, group: "web" })).toEqual({
    direction: "ingress",
    protocol: "tcp",
    ports: "80–81",
    peer: "web",
  });
  expect(renderRule({ direction: "egress", protocol: "udp", cidr: "10.0.0.0/8" }).ports).toBe("all");
  expect(renderRule({ protocol: "icmp", cidr: "10.0.0.0/8" }).ports).toBe("");
});
