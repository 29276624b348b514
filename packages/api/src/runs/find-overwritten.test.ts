import type { JsonObject } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { findOverwritten } from "./find-overwritten.ts";
import { indexPlan } from "./index-plan.ts";
import { createWork } from "./work.ts";

const address = "aws_instance.this";
const drift = [{ address, action: "update", attributes: [{ path: "user_data", before: "a", after: "b" }] }];
const planned = (attribute: JsonObject) => [
  { address, action: "update", attributes: [{ path: "user_data", before: "b", after: null, ...attribute }] },
];
const find = (changes: readonly JsonObject[], unfinished: readonly JsonObject[] = []) =>
  findOverwritten(drift, indexPlan(changes, unfinished, createWork()));

test("X080 a changed value that the configuration sets is overwritten, even if its new value is known only after the apply", async () => {
  expect(await find(planned({ unknown: true }))).toEqual([{ address, paths: ["user_data"] }]);
});

test("X080 a changed value that only the cloud computes is not overwritten", async () => {
  expect(await find(planned({ unknown: true, computed: true }))).toEqual([]);
});

test("X080 a value that an interrupted apply was supposed to compute is not an external change", async () => {
  expect(await find(planned({ unknown: true }), planned({ unknown: true }))).toEqual([]);
});
