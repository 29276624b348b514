import { hasAction, type JsonObject } from "@cloudwright/contract";
import { isUpgrade } from "./next-version.ts";
import { setConditions, type ConditionWish } from "./conditions.ts";
import { renderPercent, type Walked } from "./operation-status.ts";
import { renderApproval, renderPlaceable, takeBackDrift } from "./passing-conditions.ts";
import type { Lifecycle, Step, StepResult } from "./step.ts";
import type { Scope, ScopeOperation } from "./scope.ts";
import { findStatusOutputs } from "./status-outputs.ts";

/** Whether an agent has begun on an operation. */
export function hasBegun(scope: Scope, operation: ScopeOperation, last: StepResult): boolean {
  if (last.do === "wait" && (last.task?.attempt ?? 0) > 0) return true;
  return scope.tasks.some((task) => task.operationUid === operation.uid && task.attempt > 0);
}

/** The status that users see after a pass: its phase, its conditions, and what the last run produced. */
export function renderStatus(
  scope: Scope,
  lifecycle: Lifecycle,
  operation: ScopeOperation,
  phases: readonly Step[],
  walked: readonly Walked[],
  last: StepResult,
  fingerprint: string,
): JsonObject {
  const before = scope.entity.object.status;
  const { verb } = operation.object.spec;
  const conditions = renderConditions(walked);
  const passing = [...renderPlaceable(before, last), ...renderApproval(before, last)];
  const drifted = last.do === "continue" ? takeBackDrift(before) : [];
  const outputs = verb === "delete" ? undefined : findStatusOutputs(scope);
  const typed = outputs === undefined ? {} : lifecycle.readStatus(outputs);
  const generation = scope.entity.object.metadata.generation ?? 0;
  const done = last.do === "continue";
  const message = done ? "" : last.do === "run" ? `${last.type} is handed to an agent` : last.message;
  const ready: Omit<ConditionWish, "type"> = done
    ? { status: "True", reason: "AsAsked", message: "" }
    : { status: "False", reason: last.do === "run" ? "Queued" : last.reason, message };
  return withConditions(scope, { ...before, ...typed }, [...conditions, ...passing, ...drifted], ready, {
    phase: renderPhase(scope, operation, last),
    observedGeneration: done && fingerprint !== "" ? generation : (before["observedGeneration"] ?? 0),
    message,
    progressPercent: done ? 100 : renderPercent(phases, walked, operation.object.status),
  });
}

/** The phase users see. It stays what it was until an agent has begun. */
function renderPhase(scope: Scope, operation: ScopeOperation, last: StepResult): string {
  const { verb } = operation.object.spec;
  const before = scope.entity.object.status["phase"];
  if (last.do === "stop") return failurePhase(scope);
  if (verb === "delete") return "DELETING";
  if (last.do === "continue") return "RUNNING";
  if (!hasBegun(scope, operation, last)) return typeof before === "string" && before !== "FAILED" ? before : "PENDING";
  if (!hasRun(scope)) return "PROVISIONING";
  // What is only looked at and planned, perhaps for days until somebody approves it, runs as before.
  if (isUntouched(scope, operation, last) && (before === "RUNNING" || before === "DEGRADED")) return before;
  if (verb === "repair" || verb === "correct") return "REPAIRING";
  return isUpgrade(scope) ? "UPGRADING" : "UPDATING";
}

/** Whether an operation has changed nothing yet: of its own tasks only looks have begun. Another's run changes things. */
function isUntouched(scope: Scope, operation: ScopeOperation, last: StepResult): boolean {
  if (last.do === "wait" && last.task !== undefined && scope.tasks.every(({ uid }) => uid !== last.task?.uid)) return false;
  const begun = scope.tasks.filter((task) => task.operationUid === operation.uid && task.attempt > 0);
  return begun.every(({ type }) => hasAction(type, "preflight", "plan"));
}

/** Whether what was asked for has ever been brought about: then something runs, though perhaps not as asked. */
export function hasRun({ entity }: Scope): boolean {
  return Number(entity.object.status["observedGeneration"] ?? 0) > 0;
}

/** What has run stays usable when a change to it fails; what is new, or to go, has failed. */
export function failurePhase(scope: Scope): string {
  return hasRun(scope) && scope.entity.object.metadata.deletedAt === undefined ? "DEGRADED" : "FAILED";
}

/** Of phases that share a condition the last one that was asked says how it stands. */
function renderConditions(walked: readonly Walked[]): ConditionWish[] {
  return [...new Map(walked.map(({ step: phase, result: step }) => [phase.condition, renderCondition(phase, step)])).values()];
}

function renderCondition({ condition }: Step, result: StepResult): ConditionWish {
  const gone = condition === "InfrastructureReady" && result.do === "continue" && result.abandoned !== undefined;
  if (result.do === "continue")
    return { type: condition, status: gone ? "False" : "True", reason: "Done", message: result.message ?? "" };
  if (result.do === "run")
    return { type: condition, status: "False", reason: "Queued", message: `${result.type} is handed to an agent` };
  return { type: condition, status: "False", reason: result.reason, message: result.message };
}

/** A status with some conditions and fields set anew; Ready sums them up. */
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

/** The time of the pass, by the database's clock. */
export function timeOf({ nowMs }: Scope): string {
  return new Date(nowMs).toISOString();
}
