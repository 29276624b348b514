import { formatTaskType, type TaskService, type TaskTypeName } from "@cloudwright/contract";
import { describeWindows, isMaintenance } from "../engine/maintenance.ts";
import type { Step, StepResult, Work } from "../engine/step.ts";
import { hasRun } from "../engine/render-status.ts";
import type { Scope } from "../engine/scope.ts";
import { findRunPlan, readRunFault } from "./plan-run.ts";
import { followTask, runTask } from "./run-task.ts";

/** Creates the step that applies the saved plan, after approval if required. */
export function createApplyStep(service: TaskService, weight: number): Step {
  const type = formatTaskType(service, "apply");
  return {
    name: "infrastructure",
    condition: "InfrastructureReady",
    weight,
    decide(scope, work) {
      const window = waitForWindow(scope, work, type);
      if (window !== undefined) return window;
      const plan = findRunPlan(scope, work, service);
      if (plan === undefined) return runTask(scope, work, type, "long");
      const step = followTask(scope, plan.apply, type, "long");
      if (step.do === "run") return { ...step, plan: plan.task.uid, round: plan.task.round ?? 1 };
      return step.do === "stop" && plan.apply?.state === "failed" ? { ...step, ...readRunFault(plan.apply) } : step;
    },
  };
}

const windowed = new Set(["update", "repair", "correct"]);

/** Makes changes to an existing entity wait for a maintenance window. Creation and deletion do not wait. */
export function waitForWindow(scope: Scope, work: Work, type: TaskTypeName): StepResult | undefined {
  if (!windowed.has(work.spec.verb)) return undefined;
  const begun = scope.tasks.some((task) => task.operationUid === work.operationUid && task.type === type && task.attempt > 0);
  // An entity whose spec has never been applied successfully is considered new.
  if (begun || !scope.begun || !hasRun(scope) || isMaintenance(scope.windows, scope.nowMs)) return undefined;
  const message = `waiting for a maintenance window: ${describeWindows(scope.windows)}`;
  return { do: "wait", reason: "OutsideWindow", message, recheckAfterMs: 60_000 };
}
