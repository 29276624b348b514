import { expect, test } from "vitest";
import { countFitting } from "./fit-page.ts";

test("X063 a page ends before it exceeds its size, but contains at least one item", () => {
  const items = ["aaaa", "bbbb", "cccc"];
  expect([0, 3, 4, 7, 8, 11, 12, 100, undefined].map((bytes) => countFitting(items, bytes))).toEqual([1, 1, 1, 1, 2, 2, 3, 3, 3]);
  expect(countFitting([], 10)).toBe(0);
});
