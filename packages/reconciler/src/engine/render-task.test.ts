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

/** Release 0.1.0 wrote null for the outputs of a parent that was never applied, and the agents of that release could not parse null. */
function withOutputs(parent: JsonObject): JsonObject {
  return { ...parent, outputs: parent["outputs"] ?? {} };
}
