import { expect, test } from "vitest";
import { orderBlocks } from "./order-blocks.ts";

test("M206 equal blocks are equal lists, whatever the order of blocks and attributes, and duplicates appear once", () => {
  const [a, b] = [
    { port: 1, from: ["x"] },
    { port: 2, from: ["y"] },
  ];
  const ordered = orderBlocks([a, b]);
  expect(ordered).toHaveLength(2);
  expect(JSON.stringify(orderBlocks([b, { from: ["x"], port: 1 }, a]))).toBe(JSON.stringify(ordered));
  expect(orderBlocks([])).toEqual([]);
});
