import { expect, test } from "vitest";
import { compareRounds, interleave, median, percentile } from "./statistics.ts";

test("the median is the middle value, or the mean of the two middle values", () => {
  expect(median([5])).toBe(5);
  expect(median([9, 1, 100])).toBe(9);
  expect(median([10, 2, 4, 100])).toBe(7);
  expect(() => median([])).toThrow("of no values");
});

test("a percentile is a measured value, and the 100th percentile is the largest one", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([50, 99, 100].map((percent) => percentile(hundred, percent))).toEqual([50, 99, 100]);
  expect(percentile([7], 99)).toBe(7);
  expect(() => percentile([], 99)).toThrow("of no values");
});

test("rounds are compared by their medians, so one disturbed round does not matter", () => {
  const rounds = [
    { ours: 12, anchor: 10 },
    { ours: 900, anchor: 12 },
    { ours: 15, anchor: 8 },
  ];
  expect(compareRounds(rounds)).toEqual({ ours: 15, anchor: 10, ratio: 1.5, lowest: 1.2, highest: 75 });
});

test("both sides are measured alternately, the order changes every round, and warm-up rounds are dropped", async () => {
  const order: string[] = [];
  const side = (name: string, value: number) => async (): Promise<number> => {
    order.push(name);
    return value + order.length * 10;
  };
  const rounds = await interleave({ rounds: 2, warmUp: 1 }, side("ours", 1), side("anchor", 2));
  expect(order).toEqual(["anchor", "ours", "ours", "anchor", "anchor", "ours"]);
  expect(rounds).toEqual([
    { ours: 31, anchor: 42 },
    { ours: 61, anchor: 52 },
  ]);
});
