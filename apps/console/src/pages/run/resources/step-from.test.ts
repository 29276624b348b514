import { expect, test } from "vitest";
import { stepFrom } from "./step-from.ts";

const order = [
  { address: "a", node: "a", layer: 0, y: 0 },
  { address: "b[0]", node: "b", layer: 0, y: 50 },
  { address: "b[1]", node: "b", layer: 0, y: 50 },
  { address: "c", node: "c", layer: 1, y: 0 },
  { address: "d", node: "d", layer: 1, y: 60 },
  { address: "e", node: "e", layer: 2, y: 0 },
];
const edges = [
  { from: "a", to: "d" },
  { from: "d", to: "e" },
];

test.each([
  ["a", "ArrowDown", "b[0]"],
  ["b[0]", "ArrowDown", "b[1]"],
  ["b[1]", "ArrowDown", undefined],
  ["c", "ArrowUp", undefined],
  ["a", "ArrowRight", "d"],
  ["e", "ArrowLeft", "d"],
  ["b[0]", "ArrowRight", "d"],
  ["c", "ArrowLeft", "a"],
  ["a", "End", "e"],
  ["e", "Home", "a"],
  ["a", "x", undefined],
  ["unheard", "ArrowDown", undefined],
])("M077 M015 from %s the key %s moves to %s", (from, key, to) => {
  expect(stepFrom(order, edges, from, key)).toBe(to);
});
