import type { JsonObject } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { countKept } from "./count-kept.ts";
import { indexPlan } from "./index-plan.ts";
import { createWork } from "./work.ts";

const address = "aws_vpc.main";
const drift = [{ address, action: "update", attributes: [{ path: 'tags["team"]', before: "blue", after: "red" }] }];
const undo = { address, action: "update", attributes: [{ path: 'tags["team"]', before: "red", after: "blue" }] };
const other = { address, action: "update", attributes: [{ path: "cidr_block", before: 1, after: 2 }] };
const reported = [{ address, resourceType: "aws_vpc", action: "update", paths: ["tags"] }];

const count = (found: typeof drift, changes: readonly JsonObject[], known: typeof reported) =>
  countKept(found, indexPlan(changes, [], createWork()), known);

test("X080 a plan keeps a reported change that it does not undo", async () => {
  expect(await count(drift, [other], reported)).toBe(1);
  expect(await count(drift, [], reported)).toBe(1);
});

test("X080 a plan does not keep a change that it undoes, or that is gone, or on a resource that it deletes or replaces", async () => {
  expect(await count(drift, [undo], reported)).toBe(0);
  expect(await count([], [other], reported)).toBe(0);
  for (const action of ["delete", "replace"]) expect(await count(drift, [{ ...undo, action }], reported)).toBe(0);
  expect(await count(drift, [other], [])).toBe(0);
});
