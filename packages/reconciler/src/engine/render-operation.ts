import { describeQueued } from "./describe-queued.ts";
import type { JsonObject } from "@cloudwright/contract";
import { listConditions } from "./conditions.ts";
import type { Decision } from "./decision.ts";
import { endSteps, renderOperationStatus, renderPercent, renderSteps, type Walked } from "./operation-status.ts";
import { approvalNeeded, gateSteps, pauseReasons, upgradePaused, type Step, type StepResult } from "./step.ts";
import { hasBegun, timeOf } from "./render-status.ts";
import type { Scope, ScopeOperation } from "./scope.ts";

/** Renders an operation's progress or its final state after a pass. */
export function renderOperation(
  scope: Scope,
  operation: ScopeOperation,
  sequence: readonly Step[],
  walked: readonly Walked[],
  last: StepResult,
  fingerprint: string,
): Decision["operations"][number] {
  const before = operation.object.status;
  const at = timeOf(scope);
  const steps = renderSteps(sequence, walked, before["steps"], at);
  if (last.do === "continue") {
    const abandoned = walked.flatMap(({ result: step }) => (step.do === "continue" ? (step.abandoned ?? []) : []));
    const change = {
      state: "DONE",
      message: abandoned.length > 0 ? "done; some resources stay in the account" : "done",
      progressPercent: 100,
      steps,
    };
    return {
      operation,
      status: renderOperationStatus(
        before,
        { ...change, ...sayFindings(before, []), abandoned: [...abandoned], left: [], code: "" },
        at,
      ),
      fingerprint,
    };
  }
  const progressPercent = renderPercent(sequence, walked, before);
  if (last.do === "stop") {
    const change = {
      state: "FAILED",
      message: last.message,
      code: last.code,
      left: [...(last.left ?? [])],
      ...sayFindings(before, last.findings ?? []),
      progressPercent,
      steps,
    };
    return { operation, status: renderOperationStatus(before, change, at), fingerprint };
  }
  const begun = before.state === "RUNNING" || hasBegun(scope, operation, last);
  const message = last.do === "wait" ? last.message : describeQueued(scope, last.type);
  const change = { state: begun ? "RUNNING" : "WAITING", message, progressPercent, steps, ...sayFindings(before, []) };
  return { operation, status: renderOperationStatus(before, change, at) };
}

/** Returns the findings as a status field. A retry clears the findings of the previous attempt. */
function sayFindings(before: JsonObject, findings: readonly JsonObject[]): JsonObject {
  return findings.length === 0 && before["findings"] === undefined ? {} : { findings: [...findings] };
}

/** Ends an operation before its steps are done. */
export function endOperation(
  scope: Scope,
  operation: ScopeOperation,
  state: string,
  end: { readonly message: string; readonly code?: string },
  fingerprint: string,
): Decision["operations"][number] {
  const before = operation.object.status;
  const steps = endSteps(before["steps"], state, end.message, timeOf(scope));
  const change = { state, message: end.message, steps, ...(end.code === undefined ? {} : { code: end.code }) };
  return { operation, status: renderOperationStatus(before, change, timeOf(scope)), fingerprint };
}

/** Renders the event for a pass, if there is something to report. */
export function renderEvent(
  scope: Scope,
  operation: ScopeOperation,
  last: StepResult,
  status: JsonObject,
): Pick<Decision, "event"> {
  const { verb } = operation.object.spec;
  if (last.do === "stop") return { event: { type: "Warning", reason: "Failed", message: `${verb} failed: ${last.message}` } };
  if (last.do === "continue") {
    const abandoned = verb === "delete" && last.abandoned !== undefined;
    if (abandoned) return { event: { type: "Warning", reason: "Abandoned", message: last.message ?? "" } };
    return { event: { type: "Normal", reason: verb === "delete" ? "Gone" : "Ready", message: `${verb} finished` } };
  }
  if (last.do === "wait" && last.reason === approvalNeeded && !isTold(scope, approvalNeeded, last.message))
    return { event: { type: "Warning", reason: approvalNeeded, message: last.message } };
  if (last.do === "wait" && pauseReasons.has(last.reason) && !isTold(scope, upgradePaused, last.message))
    return { event: { type: "Warning", reason: upgradePaused, message: last.message } };
  const phase = status["phase"];
  if (phase === scope.entity.object.status["phase"] || typeof phase !== "string") return {};
  const word = `${phase.charAt(0)}${phase.slice(1).toLowerCase()}`;
  return { event: { type: "Normal", reason: word, message: `${verb} started` } };
}

/** Renders the event for gates that passed in this pass. Returns undefined if no gates passed. */
export function renderGatesEvent({ object }: ScopeOperation, walked: readonly Walked[]): Pick<Decision, "event"> | undefined {
  const before = (object.status["steps"] ?? []) as JsonObject[];
  for (const { step, result } of walked) {
    if (!gateSteps.has(step.name) || result.do !== "continue" || result.task === undefined) continue;
    const { uid } = result.task;
    const isNew = before.every((former) => former["name"] !== step.name || former["task"] !== uid || former["state"] !== "DONE");
    if (isNew) return { event: { type: "Normal", reason: "GatesPassed", message: result.message ?? "" } };
  }
  return undefined;
}

/**
 * Returns whether an event with this message has already been written. If so, the condition of the given type contains the same message.
 */
function isTold({ entity }: Scope, condition: string, message: string): boolean {
  const told = listConditions(entity.object.status).find(({ type }) => type === condition);
  return told?.["status"] === "True" && told["message"] === message;
}
