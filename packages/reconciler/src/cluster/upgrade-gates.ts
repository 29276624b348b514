import { formatTaskType, hasAction, type GateStage } from "@cloudwright/contract";
import { taskKey } from "@cloudwright/tasks";
import { isUpgradePending } from "../engine/next-version.ts";
import type { Scope, ScopeTask } from "../engine/scope.ts";
import type { Step, StepResult, Work } from "../engine/step.ts";
import { waitForWindow } from "../steps/apply-plan.ts";
import { findRunPlan } from "../steps/plan-run.ts";
import { findTask, followTask, readFault } from "../steps/run-task.ts";

const type = formatTaskType("cluster", "gates");

/**
 * The step before each run that upgrades Kubernetes by a minor version. An agent checks that the nodes support the new version, and runs
 * the `before` or `between` gates. The step comes directly before the run, because a plan can wait days for approval.
 */
export const gatesBefore: Step = {
  name: "gates",
  condition: "InfrastructureReady",
  weight: 0,
  decide(scope, work) {
    if (!isUpgradePending(scope) || isApplied(scope, work)) return { do: "continue" };
    return (
      waitForWindow(scope, work, formatTaskType("cluster", "apply")) ??
      followGates(scope, work, hasUpgraded(scope, work) ? "between" : "before")
    );
  },
};

/** Runs the `after` gates once the upgrade and its add-ons are complete. */
export const gatesAfter: Step = {
  name: "gatesAfter",
  // The infrastructure is already as specified, so only the `Ready` condition reports that the upgrade is still in progress.
  condition: "Ready",
  weight: 0,
  decide: (scope, work) => (hasUpgraded(scope, work) ? followGates(scope, work, "after") : { do: "continue" }),
};

/**
 * Returns whether the run that follows the gates is done. The reported version is not a reliable indicator, because not every executor
 * reports the new version immediately.
 */
function isApplied(scope: Scope, work: Work): boolean {
  const plan = findRunPlan(scope, work, "cluster");
  const apply = plan === undefined ? findTask(scope, work, formatTaskType("cluster", "apply")) : plan.apply;
  return apply?.state === "done";
}

/**
 * Returns whether a run of this operation has upgraded the cluster. Such a run starts only after its gates have passed, so both a gate task
 * and an apply task must be done.
 */
function hasUpgraded({ tasks }: Scope, { operationUid }: Work): boolean {
  const isDone = (task: ScopeTask): boolean => task.state === "done" && task.operationUid === operationUid;
  return (
    tasks.some((task) => isDone(task) && task.type === type) &&
    tasks.some((task) => isDone(task) && hasAction(task.type, "apply"))
  );
}

/**
 * Requests the task that runs a stage's gates, and waits for it. If a gate fails, the upgrade pauses until a user resumes, changes or
 * aborts it.
 */
function followGates(scope: Scope, work: Work, stage: GateStage): StepResult {
  const { resumes = 0, skipGates: skip = [] } = work.spec;
  const key = taskKey({ fingerprint: work.fingerprint, stage, resumes, skip });
  const task = findTask(scope, { ...work, fingerprint: key }, type);
  if (task?.state === "failed") {
    const { code, message } = readFault(task);
    const reason = pauses[code];
    if (reason !== undefined) return { do: "wait", reason, message: `${message}; ${adviseOn(scope, stage, reason)}`, task };
  }
  const result = followTask(scope, task, type, "long");
  if (result.do === "run") return { ...result, gates: { stage, skip, key } };
  return result.do === "continue" ? { ...result, message: describePassed(stage, task) } : result;
}

/** Faults that pause an upgrade, with the reason that the condition reports. */
const pauses: Readonly<Record<string, string>> = {
  "deployer.gate_failed": "GateFailed",
  "deployer.gate_refused": "GateFailed",
  "deployer.nodes_too_old": "NodesTooOld",
};

function adviseOn({ entity }: Scope, stage: GateStage, reason: string): string {
  const command = `cloud k8s upgrade ${entity.name}`;
  const skip = reason === "GateFailed" ? `, or \`${command} --skip-gate GATE\` to continue without the gate` : "";
  const abort = stage === "before" ? `, or \`${command} --abort\` to stay at the running version` : "";
  return `the upgrade is paused: fix the cause and run \`${command} --resume\`${skip}${abort}`;
}

function describePassed(stage: GateStage, task: ScopeTask | undefined): string {
  const { passed = [], skipped = [] } = (task?.outcome?.state === "done" ? (task.outcome.result ?? {}) : {}) as {
    readonly passed?: readonly string[];
    readonly skipped?: readonly string[];
  };
  const ran = passed.length === 0 ? "" : `; passed: ${passed.join(", ")}`;
  const left = skipped.length === 0 ? "" : `; skipped: ${skipped.join(", ")}`;
  return `nodes and gates checked ${stage === "between" ? "between steps" : stage === "before" ? "before the upgrade" : "after the upgrade"}${ran}${left}`;
}
