import type { JsonObject, TaskTypeName } from "@cloudwright/contract";
import type { Lane } from "@cloudwright/tasks";
import type { Step, StepResult, Work } from "../engine/step.ts";
import { describeQueued } from "../engine/describe-queued.ts";
import { findUnplaceable } from "../engine/placement.ts";
import { readFindings } from "../engine/read-findings.ts";
import type { Scope, ScopeTask } from "../engine/scope.ts";
import { reconcilerFaults } from "../faults.ts";
import { isEndless, pauseEndless } from "./endless.ts";

/**
 * Cancellation reason of tasks that the engine withdrew before an agent took them. If such a task is needed later, it is requested again.
 */
export const takenBack = "no longer wanted as it was";

/**
 * Fallback interval for checking whether an agent can run a task. Normally, a new agent wakes the entities that are waiting for one, but
 * that notification can be lost.
 */
const unplaceableMs = 300_000;

interface TaskStep extends Omit<Step, "decide"> {
  readonly type: TaskTypeName;
  readonly lane: Lane;
  /** Returns what is still missing after the task has succeeded, or undefined if nothing is. */
  readonly findPending?: (result: JsonObject) => string | undefined;
}

/** Creates a step that is done when a task of this type has succeeded for the current operation and inputs. */
export function createTaskStep(step: TaskStep): Step {
  const { type, lane, findPending, ...rest } = step;
  return {
    ...rest,
    decide(scope, work) {
      const task = findTask(scope, work, type);
      const result = followTask(scope, task, type, lane);
      if (result.do !== "continue" || task?.outcome?.state !== "done") return result;
      const pending = findPending?.((task.outcome.result ?? {}) as JsonObject);
      return pending === undefined ? result : { ...result, pending };
    },
  };
}

/** Requests a task if necessary, waits for it, or returns its result. */
export function runTask(scope: Scope, work: Work, type: TaskTypeName, lane: Lane): StepResult {
  return followTask(scope, findTask(scope, work, type), type, lane);
}

/** Like `runTask`, but for a task that the caller has already looked up. `task` is undefined if it has not been requested yet. */
export function followTask(scope: Scope, task: ScopeTask | undefined, type: TaskTypeName, lane: Lane): StepResult {
  if (task === undefined) return { do: "run", type, lane, ...comesAfter(scope, type) };
  switch (task.state) {
    case "done":
      return { do: "continue", task, ...tellWarnings(task) };
    case "failed":
      return tryAgain(scope, task, type, lane) ?? { do: "stop", reason: "TaskFailed", ...readFault(task), task };
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

/** Requests a failed task again after a pause, unless its fault is final. */
function tryAgain(scope: Scope, task: ScopeTask, type: TaskTypeName, lane: Lane): StepResult | undefined {
  const fault = readFault(task);
  if (!isEndless(fault.code)) return undefined;
  return pauseEndless(scope, task, fault) ?? { do: "run", type, lane, after: task.uid };
}

/** Returns the newest task with the current inputs. Returns undefined if a task with different inputs was started later. */
export function findTask(scope: Scope, work: Work, type: TaskTypeName): ScopeTask | undefined {
  const isWanted = (task: ScopeTask): boolean =>
    task.operationUid === work.operationUid && task.retries === work.spec.retries && task.fingerprint === work.fingerprint;
  const last = scope.tasks.findLast((task) => task.type === type && (isWanted(task) || task.attempt > 0));
  return last !== undefined && isWanted(last) ? last : undefined;
}

/**
 * Allows a task to run again if its inputs return to earlier values within one operation. The new task's key then includes the uid of the
 * newest task of its type.
 */
function comesAfter(scope: Scope, type: TaskTypeName): { after?: string } {
  const newest = scope.tasks.findLast((task) => task.type === type);
  return newest === undefined ? {} : { after: newest.uid };
}

/** Findings from a successful task are warnings. They become the message of the step's condition. */
function tellWarnings({ outcome }: ScopeTask): { readonly message?: string } {
  const warnings = outcome?.state === "done" ? readFindings(outcome.result) : [];
  return warnings.length === 0 ? {} : { message: warnings.map(({ message }) => message as string).join("; ") };
}

/** Returns the fault of a failed task. */
export function readFault(task: Pick<ScopeTask, "outcome">): {
  message: string;
  code: string;
  left: readonly string[];
  findings: readonly JsonObject[];
} {
  const { outcome } = task;
  if (outcome?.state !== "failed")
    return {
      message: "the task failed without reporting a reason",
      code: reconcilerFaults.unexplained.code,
      left: [],
      findings: [],
    };
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
    return { do: "wait", reason: "Working", message: describeProgress(task, `${task.type} is running`), task };
  if (task.state === "waiting") {
    return { do: "wait", reason: "InLine", message: describeQueued(scope, task.type), task };
  }
  if (task.delayedUntilMs !== null && task.delayedUntilMs > scope.nowMs) {
    const seconds = Math.ceil((task.delayedUntilMs - scope.nowMs) / 1000);
    const tried = `${task.type} failed (attempt ${task.attempt} of ${task.maxAttempts}); retrying in ${seconds} s`;
    const message = `${tried}${describeFormer(task)}`;
    // No signal announces the next attempt, so check again when it is due.
    return { do: "wait", reason: "Retrying", message, task, recheckAfterMs: task.delayedUntilMs - scope.nowMs + 100 };
  }
  const missing = findUnplaceable(scope, task);
  if (missing !== undefined) return { do: "wait", reason: "NoAgent", message: missing, task, recheckAfterMs: unplaceableMs };
  return { do: "wait", reason: "Queued", message: `waiting for an agent to run ${task.type}`, task };
}

/** Describes what a running task is doing. From the second attempt on, also says why the previous attempt failed. */
export function describeProgress(task: ScopeTask, fallback: string): string {
  const message = task.progress?.message || fallback;
  if (task.attempt < 2 || task.formerOutcome?.state !== "failed") return message;
  return `${message} (attempt ${task.attempt} of ${task.maxAttempts}; the previous one failed${describeFormer(task)})`;
}

/** Describes why the last attempt failed, so that users can act before all attempts have failed. */
function describeFormer({ formerOutcome }: ScopeTask): string {
  return formerOutcome?.state === "failed" ? `: ${formerOutcome.fault.message.slice(0, mostReason)}` : "";
}

const mostReason = 500;
