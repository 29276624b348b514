import { expect, test } from "vitest";
import { countKept } from "./count-kept.ts";

const address = "aws_vpc.main";
const drift = [{ address, action: "update", attributes: [{ path: 'tags["team"]', before: "blue", after: "red" }] }];
const undo = { address, action: "update", attributes: [{ path: 'tags["team"]', before: "red", after: "blue" }] };
const other = { address, action: "update", attributes: [{ path: "cidr_block", before: 1, after: 2 }] };
const reported = [{ address, resourceType: "aws_vpc", action: "update", paths: ["tags"] }];

test("X080 a plan keeps a reported change that it does not undo", () => {
  expect(countKept(drift, [other], reported)).toBe(1);
  expect(countKept(drift, [], reported)).toBe(1);
});

test("X080 a plan does not keep a change that it undoes, or that is gone, or on a resource that it deletes or replaces", () => {
  expect(countKept(drift, [undo], reported)).toBe(0);
  expect(countKept([], [other], reported)).toBe(0);
  for (const action of ["delete", "replace"]) expect(countKept(drift, [{ ...undo, action }], reported)).toBe(0);
  expect(countKept(drift, [other], [])).toBe(0);
});
