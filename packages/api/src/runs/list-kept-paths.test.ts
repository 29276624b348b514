import type { JsonObject } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { indexPlan } from "./index-plan.ts";
import { listKeptPaths } from "./list-kept-paths.ts";
import { createWork } from "./work.ts";

const address = "aws_instance.this";
const drift = [{ address, action: "update", attributes: [{ path: "user_data", before: "a", after: "b" }] }];
const planned = { address, action: "update", attributes: [{ path: "user_data", before: "b", after: null }] };
const list = (found: JsonObject, changes: readonly JsonObject[], unfinished: readonly JsonObject[], undone: readonly string[]) =>
  listKeptPaths(found, indexPlan(changes, unfinished, createWork()), undone);

test("X080 external changes count as kept if the plan neither undoes them nor removes the resource", () => {
  const found = {
    address,
    action: "update",
    attributes: [{ path: "user_data" }, { path: 'tags["team"]' }, { path: "ebs[0].size" }],
  };
  expect(list(found, [], [], [])).toEqual(["user_data", 'tags["team"]', "ebs[0].size"]);
  expect(list(found, [planned], [], ["user_data", "tags"])).toEqual(["ebs[0].size"]);
  for (const action of ["delete", "replace"]) expect(list(found, [{ address, action }], [], [])).toEqual([]);
  expect(list({ ...found, action: "delete" }, [], [], [])).toEqual([]);
});

test("X080 a value that an interrupted apply set does not count as a kept external change", () => {
  const unfinished = [{ address, action: "update", attributes: [{ path: "user_data", after: "b" }] }];
  expect(list(drift[0] ?? {}, [], unfinished, [])).toEqual([]);
  expect(list(drift[0] ?? {}, [], [{ ...unfinished[0], address: "other" }], [])).toEqual(["user_data"]);
});
