import { expect, test } from "vitest";
import { mergeList } from "./merge-list.ts";

test("X062 edits of a list keep what others added or removed in the meantime", () => {
  expect(mergeList(["a", "b"], ["a", "c"], ["a", "b", "d"])).toEqual(["a", "d", "c"]);
  expect(mergeList(["a", "b"], ["a", "b"], ["b"])).toEqual(["b"]);
  expect(mergeList([], ["a"], ["a"])).toEqual(["a"]);
  expect(mergeList(["a"], [], ["a"])).toEqual([]);
});
