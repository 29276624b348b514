import { expect, test } from "vitest";
import { backOffMs, spreadMs } from "./back-off.ts";

test("the pause doubles with every failure until it reaches its limit", () => {
  const pauses = [0, 1, 2, 3, 4, 2000].map((failures) => backOffMs({ firstMs: 100, longestMs: 1000 }, failures));
  expect(pauses).toEqual([100, 200, 400, 800, 1000, 1000]);
});

test("jitter changes a pause by at most a quarter", () => {
  expect([0, 0.5, 1].map((chance) => spreadMs(1000, () => chance))).toEqual([750, 1000, 1250]);
});
