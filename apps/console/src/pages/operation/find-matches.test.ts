import { expect, test } from "vitest";
import { cutAtMatches, findMatches } from "./find-matches.ts";

test("M077 the log search finds every occurrence, including several in one line", () => {
  expect(findMatches(["aws_vpc AWS_VPC", "", "x aws_vpc"], "aws_vpc")).toEqual([
    { line: 0, at: 0 },
    { line: 0, at: 8 },
    { line: 2, at: 2 },
  ]);
  expect(findMatches(["a"], "")).toEqual([]);
  expect(findMatches(["aaaa"], "aa")).toHaveLength(2);
});

test("M077 matches are highlighted across parts of different colours", () => {
  const starts = [2, 8];
  expect(cutAtMatches("abcd", 0, starts, 4)).toEqual([
    { text: "ab", match: undefined },
    { text: "cd", match: 2 },
  ]);
  expect(cutAtMatches("efghij", 4, starts, 4)).toEqual([
    { text: "ef", match: 2 },
    { text: "gh", match: undefined },
    { text: "ij", match: 8 },
  ]);
  expect(cutAtMatches("plain", 0, [], 4)).toEqual([{ text: "plain", match: undefined }]);
});
