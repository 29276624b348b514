import fc from "fast-check";
import { expect, test } from "vitest";
import { compileExpression } from "../expression.ts";
import { Meter } from "../meter.ts";
import { cidrContains, cidrOverlaps } from "./cidr.ts";
import { matchesGlob } from "./glob.ts";
import { parseQuantity } from "./quantity.ts";
import { compareSemver } from "./semver.ts";

test("M222 globs match whole strings, including those that make a naive matcher backtrack", () => {
  const cases: [string, string, boolean][] = [
    ["prod", "prod", true],
    ["prod-eu", "prod-*", true],
    ["prod", "prod-*", false],
    ["nonprod", "prod*", false],
    ["abc", "a?c", true],
    ["ac", "a?c", false],
    ["", "*", true],
    ["", "", true],
    ["a", "", false],
    ["a.c", "a.c", true],
    ["abc", "a.c", false],
    ["xaxbxc", "*a*b*c", true],
    ["a".repeat(5000), `${"a*".repeat(20)}b`, false],
  ];
  for (const [text, pattern, expected] of cases)
    expect([text, pattern, matchesGlob(text, pattern)]).toEqual([text, pattern, expected]);
  fc.assert(fc.property(fc.string(), (text) => matchesGlob(text, text.replaceAll(/[*?]/g, "?")) && matchesGlob(text, "*")));
});

test("M222 quantities follow the Kubernetes format", () => {
  const cases: [string, number][] = [
    ["1", 1],
    ["1.5Gi", 1.5 * 2 ** 30],
    ["500m", 0.5],
    ["2k", 2000],
    ["1e3", 1000],
    ["1E", 1e18],
    ["-3Ki", -3072],
    [".5", 0.5],
  ];
  for (const [text, expected] of cases) expect(parseQuantity(text)).toBe(expected);
  for (const text of ["", "Gi", "1 Gi", "1ki", "1KiB", "0x1", "1e3Ki", "NaN"]) {
    expect(() => parseQuantity(text)).toThrow(`"${text}"`);
  }
});

test("M222 versions compare numerically, with pre-releases before their release", () => {
  const ascending = ["v1.9", "1.10.0", "1.10.1-alpha", "1.10.1-alpha.1", "1.10.1-alpha.beta", "1.10.1-beta", "1.10.1-beta.2"];
  ascending.push("1.10.1-beta.11", "1.10.1-rc.1", "1.10.1", "2");
  for (const [i, a] of ascending.entries()) {
    for (const [j, b] of ascending.entries()) expect([a, b, compareSemver(a, b)]).toEqual([a, b, Math.sign(i - j)]);
  }
  expect(compareSemver("1.34", "v1.34.0+build.5")).toBe(0);
  for (const text of ["", "latest", "1.2.3.4", "1.x", "-1", "1..2"]) {
    expect(() => compareSemver(text, "1")).toThrow(`"${text}"`);
  }
});

test("M222 containment and overlap work for IPv4 and IPv6 ranges", () => {
  expect(cidrContains("10.0.0.0/8", "10.1.0.0/16")).toBe(true);
  expect(cidrContains("10.1.0.0/16", "10.0.0.0/8")).toBe(false);
  expect(cidrContains("10.0.0.0/8", "10.255.255.255")).toBe(true);
  expect(cidrContains("10.0.0.7/8", "10.0.0.0/8")).toBe(true);
  expect(cidrContains("0.0.0.0/0", "::/0")).toBe(false);
  expect(cidrContains("2001:db8::/32", "2001:db8:ffff::1")).toBe(true);
  expect(cidrContains("::ffff:0:0/96", "::ffff:10.0.0.1")).toBe(true);
  expect(cidrOverlaps("10.0.0.0/16", "10.0.128.0/17")).toBe(true);
  expect(cidrOverlaps("10.0.0.0/16", "10.1.0.0/16")).toBe(false);
  expect(cidrOverlaps("fd00::/8", "fd12::/16")).toBe(true);
  for (const text of ["", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/8/8", "10.0.0.0/", "10.0.0.0/-1", "fe80::1%eth0", "x"]) {
    expect(() => cidrContains(text, "10.0.0.0/8")).toThrow(`"${text}"`);
  }
});

test("M222 at finds a nested value, and returns the default if a name on the path is missing", () => {
  const deep = new Map([
    [
      "a",
      new Map<string, unknown>([
        ["b", 1n],
        ["none", null],
        ["list", []],
      ]),
    ],
  ]);
  const evaluate = (text: string) => {
    const compiled = compileExpression(text, new Set(["deep"]));
    if ("problem" in compiled) throw new Error(compiled.problem);
    return compiled.expression.evaluate({ deep: deep as never }, new Meter());
  };
  expect(evaluate('deep.at("a.b", 2)')).toEqual({ value: 1n });
  for (const path of ["a.c", "x.y", "a.b.c", "a.none", "a.list.x", "", "a.constructor", "__proto__", "a.__proto__.x"]) {
    expect({ path, ...evaluate(`deep.at("${path}", 2)`) }).toEqual({ path, value: 2n });
  }
});
