import { expect, test } from "vitest";
import { findOverwritten } from "./find-overwritten.ts";

const address = "aws_instance.this";
const drift = [{ address, action: "update", attributes: [{ path: "user_data", before: "a", after: "b" }] }];
const planned = (attribute: object) => [
  { address, action: "update", attributes: [{ path: "user_data", before: "b", after: null, ...attribute }] },
];

test("X080 a changed value that the configuration sets is overwritten, even if its new value is known only after the apply", () => {
  expect(findOverwritten(drift, planned({ unknown: true }))).toEqual([{ address, paths: ["user_data"] }]);
});

test("X080 a changed value that only the cloud computes is not overwritten", () => {
  expect(findOverwritten(drift, planned({ unknown: true, computed: true }))).toEqual([]);
});

test("X080 a value that an interrupted apply was to compute is not a change by others", () => {
  expect(findOverwritten(drift, planned({ unknown: true }), planned({ unknown: true }))).toEqual([]);
});
