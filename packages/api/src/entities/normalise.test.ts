import { getKind, type JsonObject } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { normaliseSpec } from "./normalise.ts";

const versionOf = (asked: string | undefined, current?: string): unknown =>
  normaliseSpec(
    getKind("Cluster"),
    { network: "n", ...(asked === undefined ? {} : { version: asked }) },
    undefined,
    current === undefined ? {} : { version: current },
  )["version"];

test("M033 a network gets the default range unless it names another; an existing network keeps its own", () => {
  const rangeOf = (spec: JsonObject): unknown => normaliseSpec(getKind("Network"), spec, undefined)["cidr"];
  expect([rangeOf({}), rangeOf({ cidr: "10.1.0.0/16" }), rangeOf({ existing: { id: "vpc-1" } })]).toEqual([
    "10.0.0.0/16",
    "10.1.0.0/16",
    "",
  ]);
});

test("M004 a version means the same with and without a leading v", () => {
  expect(["v1.29.0", "1.29.0", "1.29", "v1.29"].map((asked) => versionOf(asked))).toEqual(["1.29.0", "1.29.0", "1.29", "1.29"]);
});

test("M004 a cluster without a version gets the newest version that every cloud offers, and keeps it", () => {
  expect(versionOf(undefined)).toMatch(/^1\.\d+$/);
  expect(versionOf("")).toBe(versionOf(undefined));
  expect(versionOf(undefined, "1.29")).toBe("1.29");
});
