import { formatTaskType, hasAction, nextRunOutput, type TaskService, type TaskTypeName } from "@cloudwright/contract";
import { isObject } from "@cloudwright/platform";
import type { Step, StepResult, Work } from "../engine/step.ts";
import type { Scope, ScopePlan, ScopeTask } from "../engine/scope.ts";
import { isEndless, pauseEndless } from "./endless.ts";
import { findTask, followTask, readFault, takenBack } from "./run-task.ts";

/** Fault codes of an apply that fails because its plan is outdated or already used. Making a new plan resolves them. */
const spentCodes: ReadonlySet<string> = new Set(["deployer.plan_gone", "terraform.plan_stale"]);

/**
 * Creates the plan step. If a plan can no longer be applied, the step makes a new one, up to `taskAttempts` times. It also makes a new one if
 * the apply has requested another run.
 */
export function createPlanStep(service: TaskService, weight: number): Step {
  const type = formatTaskType(service, "plan");
  return {
    name: "plan",
    condition: "InfrastructureReady",
    weight,
    decide(scope, work, rules) {
      const task = findTask(scope, work, type);
      const round = task?.round ?? 1;
      if (task !== undefined && requestsNextRun(scope, task)) return { do: "run", type, lane: "long", after: task.uid, round: 1 };
      if (task !== undefined && isSpent(scope, task)) {
        if (round < rules.taskAttempts) return { do: "run", type, lane: "long", after: task.uid, round: round + 1 };
        const next = startOver(scope, task, type);
        if (next !== undefined) return next;
      }
      const step = followTask(scope, task, type, "long");
      if (step.do === "wait" && round > 1) return { ...step, message: `${step.message}${describeLastApply(scope)}` };
      return step.do === "run" ? { ...step, round } : step;
    },
  };
}

/** Returns whether the plan was applied and its apply has requested another run. */
function requestsNextRun(scope: Scope, task: ScopeTask): boolean {
  const outcome = describePlan(scope, task).apply?.outcome;
  if (outcome?.state !== "done" || !isObject(outcome.result)) return false;
  const next = outcome.result[nextRunOutput];
  return typeof next === "string" && next !== "";
}

/** Says why the last apply failed while the plan that replaces its plan is made. */
function describeLastApply({ tasks }: Scope): string {
  const apply = tasks.findLast(({ type }) => hasAction(type, "apply"));
  if (apply === undefined || !isPlanSpent(apply) || apply.formerOutcome?.state !== "failed") return "";
  return ` (planning again, because the last apply failed: ${readRunFault(apply).message.slice(0, mostReason)})`;
}

const mostReason = 500;

/** If the last apply failed only because it was interrupted, pauses and then plans again, counting rounds from 1. */
function startOver(scope: Scope, task: ScopeTask, type: TaskTypeName): StepResult | undefined {
  const { apply, kept } = describePlan(scope, task);
  if (apply === undefined) return undefined;
  const { formerOutcome } = apply;
  // If the plan was claimed but no outcome exists, the attempt was interrupted and handed back.
  if (formerOutcome === undefined && (kept?.takenBy ?? null) === null) return undefined;
  const fault = readFault({ outcome: formerOutcome ?? apply.outcome });
  if (formerOutcome !== undefined && !isEndless(fault.code)) return undefined;
  return pauseEndless(scope, apply, fault) ?? { do: "run", type, lane: "long", after: task.uid, round: 1 };
}

/** A plan task, its stored plan, and the task that applies it. */
export interface RunPlan {
  readonly task: ScopeTask;
  /** Undefined if the executor does not store plans. */
  readonly kept: ScopePlan | undefined;
  readonly apply: ScopeTask | undefined;
}

/** Returns the plan for the operation and its current inputs. */
export function findRunPlan(scope: Scope, work: Work, service: TaskService): RunPlan | undefined {
  const task = findTask(scope, work, formatTaskType(service, "plan"));
  return task === undefined ? undefined : describePlan(scope, task);
}

function describePlan(scope: Scope, task: ScopeTask): RunPlan {
  const kept = scope.plan?.uid === task.uid ? scope.plan : undefined;
  return { task, kept, apply: scope.tasks.findLast(({ plan }) => plan === task.uid) };
}

/** Returns whether a run failed only because its plan could no longer be applied. */
export function isPlanSpent(run: Pick<ScopeTask, "state" | "outcome">): boolean {
  return run.state === "failed" && spentCodes.has(readFault(run).code);
}

/**
 * Returns the fault of a failed run. If the run's plan can no longer be applied, returns the fault of the attempt that took the plan, because
 * later attempts report only that the plan is gone.
 */
export function readRunFault(run: Pick<ScopeTask, "state" | "outcome" | "formerOutcome">): ReturnType<typeof readFault> {
  return readFault(isPlanSpent(run) && run.formerOutcome?.state === "failed" ? { outcome: run.formerOutcome } : run);
}

/** Returns whether a plan can no longer be applied and a new one is needed. A plan that a user discarded is not replaced. */
function isSpent(scope: Scope, task: ScopeTask): boolean {
  const { kept, apply } = describePlan(scope, task);
  if (task.state !== "done" || (kept?.discardedBy ?? null) !== null) return false;
  if (apply?.state === "failed") return isPlanSpent(apply);
  // A running apply checks the plan itself. An apply that a user cancelled stays cancelled.
  if (apply?.state === "leased" || apply?.state === "done") return false;
  if (apply?.state === "cancelled" && apply.cancelReason !== takenBack) return false;
  if (kept === undefined) return false;
  const isOpen = apply?.state === "ready" || apply?.state === "waiting";
  return kept.takenBy === null ? !kept.isCurrent : !isOpen;
}
