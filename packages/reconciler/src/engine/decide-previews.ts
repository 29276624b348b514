import type { JsonObject } from "@cloudwright/contract";
import { reconcilerFaults } from "../faults.ts";
import { readFault } from "../phases/run-task.ts";
import type { Decision, TaskWish } from "./decision.ts";
import { renderOperationStatus } from "./operation-status.ts";
import type { KindPlan } from "./phase.ts";
import { findOutputs } from "./decide-idle.ts";
import { timeOf } from "./render-status.ts";
import type { Scope, ScopeOperation, ScopeTask } from "./scope.ts";

/** Tasks that only look at a change: they belong to no step of the entity's own operation. */
export function isPreviewTask({ type }: Pick<ScopeTask, "type">): boolean {
  return type.endsWith(".preview");
}

/**
 * Operations that only look at a change, beside whatever the entity's own does; one after the other, oldest first. Nothing of the entity changes:
 * its phase, its conditions and its newest operation stay.
 */
export function decidePreviews(scope: Scope, { word }: KindPlan): Pick<Decision, "operations" | "tasks"> {
  const [operation] = scope.previews;
  if (operation === undefined) return { operations: [], tasks: [] };
  const { spec } = operation.object;
  const task = scope.tasks.findLast((each) => isPreviewTask(each) && each.operationUid === operation.uid);
  const end = (change: JsonObject & { state: string }): Pick<Decision, "operations" | "tasks"> => ({
    operations: [{ operation, status: renderOperationStatus(operation.object.status, change, timeOf(scope)) }],
    tasks: [],
  });
  if (scope.entity.object.metadata.deletedAt !== undefined) return end({ state: "CANCELLED", message: "it is being deleted" });
  if (task === undefined) {
    if (spec.cancelReason !== "") return end({ state: "CANCELLED", message: spec.cancelReason });
    if (spec.candidateName && findOutputs(scope) === undefined) {
      const message = `${word} "${scope.entity.name}" is not built yet: what lies in it cannot be planned`;
      return end({ state: "FAILED", message, code: reconcilerFaults.not_built.code });
    }
    return { operations: [], tasks: scope.pausedBy === "" ? [renderWish(operation, word)] : [] };
  }
  switch (task.state) {
    case "done":
      return end({ state: "DONE", message: "done", progressPercent: 100, preview: readItems(task) });
    case "failed": {
      const { message, code } = readFault(task);
      return end({ state: "FAILED", message, code });
    }
    case "cancelled":
      return end({ state: "CANCELLED", message: task.cancelReason, code: reconcilerFaults.cancelled.code });
    default:
      return task.attempt > 0
        ? end({ state: "RUNNING", message: task.progress?.message || "plans" })
        : { operations: [], tasks: [] };
  }
}

function renderWish({ uid, object, environment }: ScopeOperation, word: string): TaskWish {
  const { candidate = {}, candidateName: name = "" } = object.spec;
  const wish = { lane: "long", operationUid: uid, retries: 0, fingerprint: "preview", after: null, candidate } as const;
  if (name === "") return { ...wish, type: `${word}.preview` };
  return { ...wish, type: "cluster.preview", newcomer: { kind: "Cluster", uid, name, environment } };
}

function readItems({ outcome }: ScopeTask): JsonObject[] {
  const { items } = (outcome?.state === "done" ? (outcome.result ?? {}) : {}) as { items?: JsonObject[] };
  return items ?? [];
}
