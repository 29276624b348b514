import type { JsonObject, TaskTypeName } from "@cloudwright/contract";
import type { Lane } from "@cloudwright/tasks";
import type { Step, StepResult, Work } from "../engine/step.ts";
import { findUnplaceable } from "../engine/placement.ts";
import { readFindings } from "../engine/read-findings.ts";
import type { Scope, ScopeTask } from "../engine/scope.ts";
import { reconcilerFaults } from "../faults.ts";

/** Why the engine itself took back tasks that nobody had begun; their work is asked for anew when it is wanted again. */
export const takenBack = "no longer wanted as it was";

/** Whoever watches for agents wakes the entity when there is one; this is for when nobody watched then. */
const unplaceableMs = 300_000;

/** A phase that is done when a task of this type has been, for the operation and the inputs of now. */
export function createTaskStep(phase: Omit<Step, "decide"> & { readonly type: TaskTypeName; readonly lane: Lane }): Step {
  const { type, lane, ...rest } = phase;
  return { ...rest, decide: (scope, work) => runTask(scope, work, type, lane) };
}

/** Asks for the task, waits for it, or says how it ended. */
export function runTask(scope: Scope, work: Work, type: TaskTypeName, lane: Lane): StepResult {
  return followTask(scope, findTask(scope, work, type), type, lane);
}

/** The same for a task that was looked up already; undefined: nobody has asked for it yet. */
export function followTask(scope: Scope, task: ScopeTask | undefined, type: TaskTypeName, lane: Lane): StepResult {
  if (task === undefined) return { do: "run", type, lane, ...comesAfter(scope, type) };
  switch (task.state) {
    case "done":
      return { do: "continue", task, ...tellWarnings(task) };
    case "failed":
      return { do: "stop", reason: "TaskFailed", ...readFault(task), task };
    case "cancelled":
      if (task.cancelReason === takenBack) return { do: "run", type, lane, after: task.uid };
      return {
        do: "stop",
        reason: "Cancelled",
        message: `${type} was cancelled: ${task.cancelReason}`,
        code: reconcilerFaults.cancelled.code,
        task,
      };
    default:
      return waitForTask(scope, task);
  }
}

/** The newest task that did, or is to do, what is wanted now. One with other inputs that was begun since has undone it. */
export function findTask(scope: Scope, work: Work, type: TaskTypeName): ScopeTask | undefined {
  const isWanted = (task: ScopeTask): boolean =>
    task.operationUid === work.operationUid && task.retries === work.spec.retries && task.fingerprint === work.fingerprint;
  const last = scope.tasks.findLast((task) => task.type === type && (isWanted(task) || task.attempt > 0));
  return last !== undefined && isWanted(last) ? last : undefined;
}

/** Inputs may become what they were before within one operation: the same is asked for once more, after the newest of its type. */
function comesAfter(scope: Scope, type: TaskTypeName): { after?: string } {
  const newest = scope.tasks.findLast((task) => task.type === type);
  return newest === undefined ? {} : { after: newest.uid };
}

/** Findings of a task that succeeded are warnings. They become the message of the step's condition. */
function tellWarnings({ outcome }: ScopeTask): { readonly message?: string } {
  const warnings = outcome?.state === "done" ? readFindings(outcome.result) : [];
  return warnings.length === 0 ? {} : { message: warnings.map(({ message }) => message as string).join("; ") };
}

/** Why a task failed, in the words of its fault. */
export function readFault(task: Pick<ScopeTask, "outcome">): {
  message: string;
  code: string;
  left: readonly string[];
  findings: readonly JsonObject[];
} {
  const { outcome } = task;
  if (outcome?.state !== "failed")
    return { message: "the task failed without saying why", code: reconcilerFaults.unexplained.code, left: [], findings: [] };
  const result = outcome.result as { readonly left?: readonly string[] } | undefined;
  return {
    message: outcome.fault.message,
    code: outcome.fault.code,
    left: result?.left ?? [],
    findings: readFindings(outcome.result),
  };
}

function waitForTask(scope: Scope, task: ScopeTask): StepResult {
  if (task.state === "leased")
    return { do: "wait", reason: "Working", message: task.progress?.message || `${task.type} runs`, task };
  if (task.state === "waiting") {
    return { do: "wait", reason: "InLine", message: `${task.type} waits for the task before it to end`, task };
  }
  if (task.delayedUntilMs !== null && task.delayedUntilMs > scope.nowMs) {
    const seconds = Math.ceil((task.delayedUntilMs - scope.nowMs) / 1000);
    const tried = `attempt ${task.attempt} of ${task.maxAttempts} of ${task.type} failed and is tried again in ${seconds} s`;
    const message = `${tried}${describeFormer(task)}`;
    // Nobody tells when the time is up; then it is queued, and says so.
    return { do: "wait", reason: "Retrying", message, task, recheckAfterMs: task.delayedUntilMs - scope.nowMs + 100 };
  }
  const missing = findUnplaceable(scope, task);
  if (missing !== undefined) return { do: "wait", reason: "NoAgent", message: missing, task, recheckAfterMs: unplaceableMs };
  return { do: "wait", reason: "Queued", message: `${task.type} waits for an agent`, task };
}

/** Why the last attempt failed: whoever can mend that need not wait for the last one. */
function describeFormer({ formerOutcome }: ScopeTask): string {
  return formerOutcome?.state === "failed" ? `: ${formerOutcome.fault.message.slice(0, mostReason)}` : "";
}

const mostReason = 500;
