import { describeQueued } from "./describe-queued.ts";
import { hasAction, type JsonObject } from "@cloudwright/contract";
import { isUpgrade } from "./next-version.ts";
import { setConditions, type ConditionWish } from "./conditions.ts";
import { renderPercent, type Walked } from "./operation-status.ts";
import { renderApproval, renderPause, renderPlaceable, takeBackDrift } from "./passing-conditions.ts";
import type { Lifecycle, Step, StepResult } from "./step.ts";
import type { Scope, ScopeOperation } from "./scope.ts";
import { findStatusOutputs } from "./status-outputs.ts";

/** Returns whether an agent has started to work on an operation. */
export function hasBegun(scope: Scope, operation: ScopeOperation, last: StepResult): boolean {
  if (last.do === "wait" && (last.task?.attempt ?? 0) > 0) return true;
  return scope.tasks.some((task) => task.operationUid === operation.uid && task.attempt > 0);
}

/** Renders the entity's status after a pass: phase, conditions, and the outputs of the last run. */
export function renderStatus(
  scope: Scope,
  lifecycle: Lifecycle,
  operation: ScopeOperation,
  sequence: readonly Step[],
  walked: readonly Walked[],
  last: StepResult,
  fingerprint: string,
): JsonObject {
  const before = scope.entity.object.status;
  const { verb } = operation.object.spec;
  const conditions = renderConditions(scope, walked);
  const passing = [...renderPlaceable(before, last), ...renderApproval(before, last), ...renderPause(before, last)];
  const drifted = last.do === "continue" ? takeBackDrift(before) : [];
  const outputs = verb === "delete" ? undefined : findStatusOutputs(scope);
  const typed = outputs === undefined ? {} : lifecycle.readStatus(outputs);
  const generation = scope.entity.object.metadata.generation ?? 0;
  const done = last.do === "continue";
  const message = done ? "" : last.do === "run" ? describeQueued(scope, last.type) : last.message;
  const ready: Omit<ConditionWish, "type"> = done
    ? { status: "True", reason: "AsAsked", message: "" }
    : { status: "False", reason: last.do === "run" ? "Queued" : last.reason, message };
  return withConditions(scope, { ...before, ...typed }, [...conditions, ...passing, ...drifted], ready, {
    phase: renderPhase(scope, operation, last),
    observedGeneration: done && fingerprint !== "" ? generation : (before["observedGeneration"] ?? 0),
    message,
    progressPercent: done ? 100 : renderPercent(sequence, walked, operation.object.status),
  });
}

/** Renders the phase. The phase does not change until an agent starts work. */
function renderPhase(scope: Scope, operation: ScopeOperation, last: StepResult): string {
  const { verb } = operation.object.spec;
  const before = scope.entity.object.status["phase"];
  if (last.do === "stop") return failurePhase(scope);
  if (verb === "delete") return "DELETING";
  if (last.do === "continue") return "RUNNING";
  if (!hasBegun(scope, operation, last)) return typeof before === "string" && before !== "FAILED" ? before : "PENDING";
  if (!hasRun(scope)) return "PROVISIONING";
  // Planning changes nothing, and the plan may wait days for approval.
  if (isUntouched(scope, operation, last) && (before === "RUNNING" || before === "DEGRADED")) return before;
  if (verb === "repair" || verb === "correct") return "REPAIRING";
  return isUpgrade(scope) ? "UPGRADING" : "UPDATING";
}

/**
 * Returns whether an operation has changed nothing yet: only its preflight, its plan and its gates have started. An owner's run counts as a change.
 */
function isUntouched(scope: Scope, operation: ScopeOperation, last: StepResult): boolean {
  if (last.do === "wait" && last.task !== undefined && scope.tasks.every(({ uid }) => uid !== last.task?.uid)) return false;
  const begun = scope.tasks.filter((task) => task.operationUid === operation.uid && task.attempt > 0);
  return begun.every(({ type }) => hasAction(type, "preflight", "plan", "gates"));
}

/** Returns whether any spec of the entity has ever been applied successfully. */
export function hasRun({ entity }: Scope): boolean {
  return Number(entity.object.status["observedGeneration"] ?? 0) > 0;
}

/** Returns the phase after a failure: DEGRADED if the entity was running and stays usable, FAILED after a failed creation or deletion. */
export function failurePhase(scope: Scope): string {
  return hasRun(scope) && scope.entity.object.metadata.deletedAt === undefined ? "DEGRADED" : "FAILED";
}

/** Renders the conditions of the evaluated steps. If several steps share a condition, the last evaluated one determines it. */
function renderConditions(scope: Scope, walked: readonly Walked[]): ConditionWish[] {
  return [...new Map(walked.map(({ step, result }) => [step.condition, renderCondition(scope, step, result)])).values()];
}

function renderCondition(scope: Scope, { condition }: Step, result: StepResult): ConditionWish {
  const gone = condition === "InfrastructureReady" && result.do === "continue" && result.abandoned !== undefined;
  if (result.do === "continue" && result.pending !== undefined)
    return { type: condition, status: "False", reason: "Waiting", message: result.pending };
  if (result.do === "continue")
    return { type: condition, status: gone ? "False" : "True", reason: "Done", message: result.message ?? "" };
  if (result.do === "run")
    return { type: condition, status: "False", reason: "Queued", message: describeQueued(scope, result.type) };
  return { type: condition, status: "False", reason: result.reason, message: result.message };
}

/** Returns a status with new conditions and fields. `ready` becomes the `Ready` condition. */
export function withConditions(
  scope: Scope,
  base: JsonObject,
  wishes: readonly ConditionWish[],
  ready: Omit<ConditionWish, "type">,
  change: JsonObject,
): JsonObject {
  const generation = scope.entity.object.metadata.generation ?? 0;
  const all = [...wishes, { type: "Ready", ...ready }];
  return { ...base, ...change, conditions: setConditions(base["conditions"] ?? [], all, timeOf(scope), generation) };
}

/** Returns the time of the pass, read from the database's clock. */
export function timeOf({ nowMs }: Scope): string {
  return new Date(nowMs).toISOString();
}
