import type { JsonObject } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { normaliseSpec } from "./normalise.ts";

const versionOf = (asked: string | undefined, current?: string): unknown =>
  normaliseSpec(
    "Cluster",
    { network: "n", ...(asked === undefined ? {} : { version: asked }) },
    undefined,
    current === undefined ? {} : { version: current },
  )["version"];

test("M033 a network has the usual range unless it says another; one that exists has its own", () => {
  const rangeOf = (spec: JsonObject): unknown => normaliseSpec("Network", spec, undefined)["cidr"];
  expect([rangeOf({}), rangeOf({ cidr: "10.1.0.0/16" }), rangeOf({ existing: { id: "vpc-1" } })]).toEqual([
    "10.0.0.0/16",
    "10.1.0.0/16",
    "",
  ]);
});

test("M004 a version is one whether a v stands before it or not", () => {
  expect(["v1.29.0", "1.29.0", "1.29", "v1.29"].map((asked) => versionOf(asked))).toEqual(["1.29.0", "1.29.0", "1.29", "1.29"]);
});

test("M004 a cluster that names no version gets the newest that is offered everywhere, and keeps what it got", () => {
  expect(versionOf(undefined)).toMatch(/^1\.\d+$/);
  expect(versionOf("")).toBe(versionOf(undefined));
  expect(versionOf(undefined, "1.29")).toBe("1.29");
});
