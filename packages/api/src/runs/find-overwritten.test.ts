import { expect, test } from "vitest";
import { findOverwritten, listKeptPaths } from "./find-overwritten.ts";

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

test("X080 a value that an interrupted apply was supposed to compute is not an external change", () => {
  expect(findOverwritten(drift, planned({ unknown: true }), planned({ unknown: true }))).toEqual([]);
});

test("X080 external changes count as kept if the plan neither undoes them nor removes the resource", () => {
  const found = {
    address,
    action: "update",
    attributes: [{ path: "user_data" }, { path: 'tags["team"]' }, { path: "ebs[0].size" }],
  };
  expect(listKeptPaths(found, [], [], [])).toEqual(["user_data", 'tags["team"]', "ebs[0].size"]);
  expect(listKeptPaths(found, planned({}), [], ["user_data", "tags"])).toEqual(["ebs[0].size"]);
  for (const action of ["delete", "replace"]) expect(listKeptPaths(found, [{ address, action }], [], [])).toEqual([]);
  expect(listKeptPaths({ ...found, action: "delete" }, [], [], [])).toEqual([]);
});

test("X080 a value that an interrupted apply set does not count as a kept external change", () => {
  const unfinished = [{ address, action: "update", attributes: [{ path: "user_data", after: "b" }] }];
  expect(listKeptPaths(drift[0] ?? {}, [], unfinished, [])).toEqual([]);
  expect(listKeptPaths(drift[0] ?? {}, [], [{ ...unfinished[0], address: "other" }], [])).toEqual(["user_data"]);
});
