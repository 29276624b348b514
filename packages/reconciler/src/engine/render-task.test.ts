import type { JsonObject } from "@cloudwright/contract";
import { listRecordedTasks } from "@cloudwright/contract/testing/recorded-payloads";
import { expect, test } from "vitest";
import { listSampleTasks } from "../testing/sample-scopes.ts";
import { renderTask } from "./render-task.ts";
import type { Rules } from "./step.ts";

const rules: Rules = { findDenials: () => [], driftMs: {}, resyncMs: {}, taskAttempts: 3, parallelism: 10 };
const recorded = new Map(listRecordedTasks().map((task) => [`${task.type} ${task.what}`, task]));

test.each(listSampleTasks())("M041 $wish.type is rendered as in its first release: $what", ({ what, scope, wish }) => {
  const task = renderTask(scope, wish, "01980000-0000-7000-8000-0000000000ff", rules);
  const { placement, priority, payloadVersion, payload } = recorded.get(`${wish.type} ${what}`)!;
  expect(task).toMatchObject({ placement, priority, payloadVersion });
  expect(task.payload).toEqual({ ...payload, parents: (payload["parents"] as JsonObject[]).map(withOutputs) });
});

test("X062 a task is placed by the state backend that its entity names, and other tasks have no such entry", () => {
  const { scope, wish } = listSampleTasks()[0]!;
  const { object } = scope.entity;
  const backend = { name: "pooled", type: "s3", settings: {} };
  const stored = { ...scope, entity: { ...scope.entity, object: { ...object, spec: { ...object.spec, infra: { backend } } } } };
  const place = (given: typeof scope): unknown =>
    renderTask(given, wish, "01980000-0000-7000-8000-0000000000ff", rules).placement;
  expect(place(stored)).toEqual({ ...(place(scope) as JsonObject), backend: "pooled" });
  expect(place(scope)).not.toHaveProperty("backend");
});

/** Release 0.1.0 wrote null for the outputs of a parent that was never applied, and the agents of that release could not parse null. */
function withOutputs(parent: JsonObject): JsonObject {
  return { ...parent, outputs: parent["outputs"] ?? {} };
}
