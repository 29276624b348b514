import type { TaskService } from "@cloudwright/contract";
import { approvalNeeded, type Step, type StepResult } from "../engine/step.ts";
import type { ScopePlan } from "../engine/scope.ts";
import { reconcilerFaults } from "../faults.ts";
import { findRunPlan } from "./plan-run.ts";

/** Creates the step that waits until a user approves the plan, if approval is required. No task, lease or lock is held while it waits. */
export function createApprovalStep(service: TaskService): Step {
  return {
    name: "approval",
    condition: "InfrastructureReady",
    weight: 0,
    decide(scope, work) {
      const plan = findRunPlan(scope, work, service);
      if (plan?.kept === undefined) return { do: "continue" };
      const { kept, apply } = plan;
      if (kept.discardedBy !== null) return stopDiscarded(kept.discardedBy);
      const begun = apply?.state === "leased" || apply?.state === "done" || apply?.state === "failed";
      if (kept.takenBy !== null || begun) return { do: "continue", ...tellApproval(kept) };
      if (!kept.isCurrent) return stopOutdated();
      if (!isAwaited(kept)) return { do: "continue", ...tellApproval(kept) };
      return kept.expiresAtMs <= scope.nowMs ? stopExpired(kept.uid) : wait(kept, scope.nowMs);
    },
  };
}

export function isAwaited({ needsApproval, approvedBy, discardedBy, takenBy }: ScopePlan): boolean {
  return needsApproval && approvedBy === null && discardedBy === null && takenBy === null;
}

/** Returns the step result for a run whose plan a user discarded. */
export function stopDiscarded(by: string): StepResult {
  const { code } = reconcilerFaults.run_discarded;
  const message = `${by} discarded the plan; change the entity, or retry the operation to create a new plan`;
  return { do: "stop", reason: "RunDiscarded", message, code };
}

/** Returns the step result for a run whose plan was not approved in time. */
export function stopExpired(uid: string): StepResult {
  const { code } = reconcilerFaults.approval_expired;
  const message = `run ${uid} was not approved in time; retry the operation to create a new plan`;
  return { do: "stop", reason: "ApprovalExpired", message, code };
}

function stopOutdated(): StepResult {
  const { code } = reconcilerFaults.plan_outdated;
  const message = "the Terraform state changed after every plan; find out what changes it, then retry the operation";
  return { do: "stop", reason: "PlanOutdated", message, code };
}

function wait(plan: ScopePlan, nowMs: number): StepResult {
  const until = new Date(plan.expiresAtMs).toISOString();
  const message = `the plan needs approval (${describeCounts(plan)})${describeFindings(plan)}; an admin can approve it until ${until}: cloud run approve ${plan.uid}`;
  return { do: "wait", reason: approvalNeeded, message, recheckAfterMs: plan.expiresAtMs - nowMs + 100 };
}

function tellApproval({ approvedBy }: ScopePlan): { message?: string } {
  return approvedBy === null ? {} : { message: `approved by ${approvedBy}` };
}

function describeCounts({ counts }: ScopePlan): string {
  const { drifted: _drifted, overwritten: _overwritten, ...actions } = counts;
  const parts = Object.entries(actions).filter(([, count]) => count > 0);
  return parts.length === 0 ? "no changes" : parts.map(([action, count]) => `${action} ${count}`).join(", ");
}

/** Describes the first finding that requires approval. The run lists all of them. */
function describeFindings({ findings }: ScopePlan): string {
  const denials = findings.filter(({ severity }) => severity === "must");
  const [first] = denials;
  if (first === undefined) return "";
  const more = denials.length > 1 ? ` (and ${denials.length - 1} more)` : "";
  return `: ${first.path === "" ? "" : `${first.path}: `}${first.message}${more}`;
}
