import { expect, test } from "vitest";
import { deployerFaults } from "../../faults.ts";
import { parseRange, planSubnets } from "./plan-subnets.ts";

const { code } = deployerFaults.bad_spec;

test("M063 a range is divided by zone, and adding a zone does not move other subnets", () => {
  const one = planSubnets("10.0.0.0/16", ["eu-west-1a"]);
  expect(one).toEqual({ "eu-west-1a": { public: "10.0.0.0/21", private: "10.0.128.0/20", intra: "10.0.64.0/21" } });
  const three = planSubnets("10.0.0.0/16", ["eu-west-1c", "eu-west-1a", "eu-west-1b"]);
  expect(three["eu-west-1a"]).toEqual(one["eu-west-1a"]);
});

test("M063 subnets do not overlap and are inside the range", () => {
  const zones = "abcdefgh".split("").map((letter) => `us-east-1${letter}`);
  const ranges = Object.values(planSubnets("172.16.32.0/20", zones)).flatMap((zone) => Object.values(zone).map(parseRange));
  const spans = ranges.map(({ first, last }) => [first, last + 1n] as const).toSorted(([a], [b]) => Number(a - b));
  expect(spans).toHaveLength(24);
  spans.slice(1).forEach(([start], index) => expect(start).toBeGreaterThanOrEqual(spans[index]?.[1] ?? 0n));
  const whole = parseRange("172.16.32.0/20");
  expect(spans[0]?.[0]).toBeGreaterThanOrEqual(whole.first);
  expect(spans.at(-1)?.[1]).toBeLessThanOrEqual(whole.last + 1n);
});

test.each([
  ["10.0.0.0/24", ["eu-west-1a"]],
  ["10.0.0.0/16", ["eu-west-1z"]],
  ["10.0.0.0/16", ["eu-west-1a", "eu-west-1-lax-1a"]],
])("M063 %s cannot be divided for %j", (cidr, zones) => {
  expect(() => planSubnets(cidr, zones)).toThrow(expect.objectContaining({ code }));
});

test.each(["10.0.0.0", "10.0.0.1/16", "10.0.0.256/32", "10.0.0.0/33", "ten"])("M063 %s is not a range", (text) => {
  expect(() => parseRange(text)).toThrow(expect.objectContaining({ code }));
});
