import { expect, test } from "vitest";
import { findOverlaps, suggestRange } from "../../kinds/network/find-ranges.ts";
import { planAddresses } from "./plan-addresses.ts";

const plan = (cidr: string, zones: readonly string[]) => planAddresses({ cidr, zones, settings: {} });

test("M015 the preview divides a network as the platform does: workers in the upper half, one slot per zone", () => {
  const planned = plan("10.0.0.0/16", ["a", "c"]);
  expect(planned).toMatchObject({ free: 0.75 });
  const seen = "ranges" in planned ? planned.ranges.map(({ role, zone, cidr, from, to }) => [role, zone, cidr, from, to]) : [];
  expect(seen).toEqual([
    ["public", "a", "10.0.0.0/21", 0, 1],
    ["intra", "a", "10.0.64.0/21", 8, 9],
    ["private", "a", "10.0.128.0/20", 16, 18],
    ["public", "c", "10.0.16.0/21", 2, 3],
    ["intra", "c", "10.0.80.0/21", 10, 11],
    ["private", "c", "10.0.160.0/20", 20, 22],
  ]);
});

test("M015 adding a zone moves no other zone", () => {
  const cidrs = (zones: string[]): string[] => {
    const planned = plan("10.4.0.0/18", zones);
    return "ranges" in planned ? planned.ranges.filter(({ zone }) => zone === "b").map(({ cidr }) => cidr) : [];
  };
  expect(cidrs(["a", "b", "f"])).toEqual(cidrs(["b"]));
});

test.for(["10.0.0.1/16", "10.0.0.0", "10.0.0.0/24", "10.0.0.0/7", "300.0.0.0/16", "x"])(
  "M015 %s cannot be divided, and the message says why",
  (cidr) => {
    expect(plan(cidr, ["a"])).toMatchObject({ problem: expect.stringMatching(/./) });
  },
);

test("M015 the message names an unsupported zone", () => {
  expect(plan("10.0.0.0/16", ["a", "z"])).toMatchObject({ problem: expect.stringContaining('"z"') });
});

test("M015 overlapping ranges are found, and a free one is suggested", () => {
  const others = [
    { name: "one", cidr: "10.0.0.0/16" },
    { name: "two", cidr: "10.1.128.0/20" },
    { name: "odd", cidr: "nonsense" },
  ];
  expect(findOverlaps("10.0.64.0/18", others)).toEqual(["one"]);
  expect(findOverlaps("10.0.0.0/8", others)).toEqual(["one", "two"]);
  expect(suggestRange(others.map(({ cidr }) => cidr))).toBe("10.2.0.0/16");
});
