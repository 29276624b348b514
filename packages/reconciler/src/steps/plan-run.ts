import { formatTaskType, type TaskService } from "@cloudwright/contract";
import type { Step, Work } from "../engine/step.ts";
import type { Scope, ScopePlan, ScopeTask } from "../engine/scope.ts";
import { findTask, followTask, readFault, takenBack } from "./run-task.ts";

/** Faults of a run that say of its plan only that it cannot be applied (any more): another plan can. */
const spentCodes: ReadonlySet<string> = new Set(["deployer.plan_gone", "terraform.plan_stale"]);

/** Finds out what a run would do. A plan that cannot be applied any more is made anew, so many times. */
export function createPlanStep(service: TaskService, weight: number): Step {
  const type = formatTaskType(service, "plan");
  return {
    name: "plan",
    condition: "InfrastructureReady",
    weight,
    decide(scope, work, rules) {
      const task = findTask(scope, work, type);
      const round = task?.round ?? 1;
      if (task !== undefined && round < rules.taskAttempts && isSpent(scope, task))
        return { do: "run", type, lane: "long", after: task.uid, round: round + 1 };
      const step = followTask(scope, task, type, "long");
      return step.do === "run" ? { ...step, round } : step;
    },
  };
}

/** The plan that is to be applied: the task that made it, what is kept of it, and the task that applies it. */
export interface RunPlan {
  readonly task: ScopeTask;
  /** Undefined where a handler keeps no plans. */
  readonly kept: ScopePlan | undefined;
  readonly apply: ScopeTask | undefined;
}

/** The plan for the operation and the inputs of now. */
export function findRunPlan(scope: Scope, work: Work, service: TaskService): RunPlan | undefined {
  const task = findTask(scope, work, formatTaskType(service, "plan"));
  return task === undefined ? undefined : describePlan(scope, task);
}

function describePlan(scope: Scope, task: ScopeTask): RunPlan {
  const kept = scope.plan?.uid === task.uid ? scope.plan : undefined;
  return { task, kept, apply: scope.tasks.findLast(({ plan }) => plan === task.uid) };
}

/** Whether a run failed only because its plan could not be applied (any more). */
export function isPlanSpent(run: Pick<ScopeTask, "state" | "outcome">): boolean {
  return run.state === "failed" && spentCodes.has(readFault(run).code);
}

/** Whether a plan was made that nobody can apply any more. One that a person discarded is not made again behind their back. */
function isSpent(scope: Scope, task: ScopeTask): boolean {
  const { kept, apply } = describePlan(scope, task);
  if (task.state !== "done" || (kept?.discardedBy ?? null) !== null) return false;
  if (apply?.state === "failed") return isPlanSpent(apply);
  // What has begun finds out by itself, and what somebody stopped stays stopped.
  if (apply?.state === "leased" || apply?.state === "done") return false;
  if (apply?.state === "cancelled" && apply.cancelReason !== takenBack) return false;
  if (kept === undefined) return false;
  const isOpen = apply?.state === "ready" || apply?.state === "waiting";
  return kept.takenBy === null ? !kept.isCurrent : !isOpen;
}
