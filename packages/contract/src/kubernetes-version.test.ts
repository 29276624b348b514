import { expect, test } from "vitest";
import { compareKubernetesVersions, nextKubernetesVersion } from "./kubernetes-version.ts";

test.each([
  ["1.31", "1.34", "1.32"],
  ["v1.31.9", "1.33.1", "1.32"],
  ["1.33", "1.34", undefined],
  ["1.34", "1.34.2", undefined],
  ["1.34", "1.31", undefined],
  ["", "1.34", undefined],
  ["1.34", "", undefined],
])("M161 an upgrade from %s to %s goes through %s", (running, wanted, next) => {
  expect(nextKubernetesVersion(running, wanted)).toBe(next);
});

test.each([
  ["1.34", "1.9", 1],
  ["v1.34.1", "1.34", 0],
  ["1.34.1", "1.34.2", -1],
  ["", "1.34", 0],
])("M161 %s and %s are compared as versions, up to the precision of both", (first, second, sign) => {
  expect(Math.sign(compareKubernetesVersions(first, second))).toBe(sign);
});
