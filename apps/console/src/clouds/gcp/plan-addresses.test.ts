import { expect, test } from "vitest";
import { planAddresses } from "./plan-addresses.ts";

test("M015 M136 the planner shows the subnet's ranges for nodes, pods and Services as the platform computes them", () => {
  const plan = planAddresses({ cidr: "10.4.0.0/16", zones: ["b"], settings: {} });
  expect("ranges" in plan ? plan.ranges.map(({ role, cidr, from, to }) => [role, cidr, from, to]) : plan).toEqual([
    ["nodes", "10.4.0.0/20", 0, 2],
    ["Services", "10.4.64.0/20", 8, 10],
    ["pods", "10.4.128.0/17", 16, 32],
  ]);
  expect(plan).toMatchObject({ free: 12 / 32 });
});

test("M015 M136 the planner uses the given ranges, even outside the network's range, and names the range that conflicts", () => {
  const settings = { "gcp.podCidr": "100.64.0.0/14", "subnets.private": ["10.0.8.0/22"] };
  const plan = planAddresses({ cidr: "10.0.0.0/16", zones: [], settings });
  expect("ranges" in plan ? plan.ranges.map(({ cidr, from, to }) => [cidr, from, to]) : plan).toEqual([
    ["10.0.8.0/22", 1, 2],
    ["10.0.64.0/20", 8, 10],
    ["100.64.0.0/14", 0, 0],
  ]);
  const clash = planAddresses({ cidr: "10.0.0.0/16", zones: [], settings: { "gcp.podCidr": "10.0.0.0/17" } });
  expect(clash).toMatchObject({ problem: expect.stringMatching(/^The range for pods .*overlaps/) });
  for (const cidr of ["10.0.0.0/24", "x", "10.0.0.0/7"])
    expect(planAddresses({ cidr, zones: [], settings: {} })).toMatchObject({ problem: expect.stringMatching(/./) });
});
