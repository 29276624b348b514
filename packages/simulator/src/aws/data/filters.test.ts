import { expect, test } from "vitest";
import { isLike } from "./filters.ts";

test.each([
  ["web-1", "web-1", true],
  ["web-1", "web-*", true],
  ["web-1", "*", true],
  ["", "*", true],
  ["", "", true],
  ["web-1", "", false],
  ["web-1", "w?b*1", true],
  ["web-12", "web-?", false],
  ["a.b", "a?b", true],
  ["axb", "a.b", false],
  ["aXbXc", "a*b*c", true],
  ["aXbXc", "a*b*d", false],
])("the filter value %s matches %s: %s", (text, pattern, isMatch) => {
  expect(isLike(text, pattern)).toBe(isMatch);
});

test("M163 a pattern with many wildcards does not stall the server", () => {
  expect(isLike("a".repeat(5000), `${"*a".repeat(2000)}b`)).toBe(false);
});
