import { expect, test } from "vitest";
import { getCloud } from "../index.ts";
import { isMachineType } from "./machine-types.ts";

test("X013 existing EC2 machine types are accepted, and misspelled ones are not", () => {
  const known = ["t3.medium", "m6i.large", "m7i-flex.large", "p5.48xlarge", "u-6tb1.112xlarge", "c8g.metal-24xl", "i4i.metal"];
  expect(known.filter((type) => !isMachineType(type))).toEqual([]);
  expect(getCloud("aws").machines.suggestedTypes.filter((type) => !isMachineType(type))).toEqual([]);
  const wrong = [
    "t9.huge",
    "x9.huge",
    "m6i",
    "m6i.",
    ".large",
    "m6i.large.large",
    "m6i.xxlarge",
    "M6I.LARGE",
    "e2-standard-2",
    "__proto__.large",
  ];
  expect(wrong.filter((type) => isMachineType(type))).toEqual([]);
});
