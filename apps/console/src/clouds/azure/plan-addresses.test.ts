import { expect, test } from "vitest";
import { planAddresses } from "./plan-addresses.ts";

const ranges = (cidr: string, settings: Readonly<Record<string, unknown>>) => {
  const plan = planAddresses({ cidr, zones: ["1"], settings });
  return "ranges" in plan ? plan.ranges.map(({ role, cidr: range, from, to }) => [role, range, from, to]) : plan;
};

test("M015 M137 the planner shows the subnets for nodes, pods and API servers as the platform computes them", () => {
  expect(ranges("10.0.0.0/16", {})).toEqual([["nodes", "10.0.0.0/18", 0, 8]]);
  expect(ranges("10.0.0.0/16", { "azure.podSubnet": true, "azure.apiServerSubnet": true })).toEqual([
    ["nodes", "10.0.0.0/18", 0, 8],
    ["pods", "10.0.128.0/17", 16, 32],
    ["API server", "10.0.64.0/20", 8, 10],
  ]);
  expect(ranges("10.0.0.0/24", { "subnets.private": ["10.0.0.64/26"] })).toEqual([["nodes", "10.0.0.64/26", 8, 16]]);
});

test.for([
  ["172.30.0.0/16", {}, /AKS/],
  ["10.0.0.0/28", {}, /Too small/],
  ["10.0.0.0/16", { "subnets.private": ["10.1.0.0/18"] }, /not inside/],
  ["10.0.0.0/16", { "subnets.private": ["nodes"] }, /"nodes"/],
  ["10.0.0.0/16", { "azure.podSubnetCidr": "10.0.32.0/20" }, /overlaps with that of the nodes subnet/],
] as const)("M015 M137 %s with %j cannot be divided, and the message says why", ([cidr, settings, reason]) => {
  expect(ranges(cidr, settings)).toMatchObject({ problem: expect.stringMatching(reason) });
});
