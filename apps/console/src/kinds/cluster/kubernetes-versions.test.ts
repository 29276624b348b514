import { expect, test } from "vitest";
import { listSteps, minorOf } from "./kubernetes-versions.ts";

test("M161 an upgrade passes through every minor version and never goes back", () => {
  expect(listSteps("v1.31.4", "1.34")).toEqual(["1.32", "1.33", "1.34"]);
  expect([listSteps("1.34", "1.34"), listSteps("1.34", "1.33"), listSteps("", "1.34"), listSteps("1.34", "next")]).toEqual([
    [],
    [],
    [],
    [],
  ]);
  expect([minorOf("1.34"), minorOf("v1.29.3"), minorOf("2.0")]).toEqual([34, 29, 0]);
});
