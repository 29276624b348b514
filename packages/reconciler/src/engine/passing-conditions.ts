import type { JsonObject } from "@cloudwright/contract";
import { hasCondition, listConditions, type ConditionWish } from "./conditions.ts";
import { approvalNeeded, pauseReasons, planWaits, upgradePaused, type StepResult } from "./step.ts";

/** Renders the `Placeable` condition: False while no agent can run the task, True once one can. */
export function renderPlaceable(before: JsonObject, last: StepResult): ConditionWish[] {
  if (last.do === "wait" && last.reason === "NoAgent") {
    return [{ type: "Placeable", status: "False", reason: "NoAgent", message: last.message }];
  }
  // The step waits for something other than a task, so no agent is needed.
  if (last.do === "wait" && last.task === undefined) return takeBackPlaceable(before);
  return hasCondition(before, "Placeable", ["False", "Unknown"])
    ? [{ type: "Placeable", status: "True", reason: "Placed", message: "" }]
    : [];
}

/** Resets the `Placeable` condition once no task needs an agent. */
export function takeBackPlaceable(before: JsonObject): ConditionWish[] {
  if (!hasCondition(before, "Placeable", ["False"])) return [];
  return [{ type: "Placeable", status: "Unknown", reason: "NothingToPlace", message: "" }];
}

/** Renders the `ApprovalNeeded` condition: True while a plan waits for approval. */
export function renderApproval(before: JsonObject, last: StepResult): ConditionWish[] {
  if (last.do === "wait" && last.reason === approvalNeeded)
    return [{ type: approvalNeeded, status: "True", reason: planWaits, message: last.message }];
  if (last.do === "stop") return takeBackApproval(before, last.reason);
  return takeBackApproval(before, "NothingToApprove");
}

/** Resets the `ApprovalNeeded` condition once no plan waits for approval. */
export function takeBackApproval(before: JsonObject, reason: string): ConditionWish[] {
  if (!hasCondition(before, approvalNeeded, ["True"])) return [];
  return [{ type: approvalNeeded, status: "False", reason, message: "" }];
}

/** Renders the `UpgradePaused` condition: True until a user resumes or aborts the upgrade. */
export function renderPause(before: JsonObject, last: StepResult): ConditionWish[] {
  if (last.do === "wait" && pauseReasons.has(last.reason))
    return [{ type: upgradePaused, status: "True", reason: last.reason, message: last.message }];
  return takeBackPause(before);
}

/** Resets the `UpgradePaused` condition once no upgrade is paused. */
export function takeBackPause(before: JsonObject): ConditionWish[] {
  if (!hasCondition(before, upgradePaused, ["True"])) return [];
  return [{ type: upgradePaused, status: "False", reason: "NotPaused", message: "" }];
}

/** Resets the `Drifted` condition after a successful run. */
export function takeBackDrift(before: JsonObject): ConditionWish[] {
  if (!hasCondition(before, "Drifted", ["True", "Unknown"])) return [];
  return [{ type: "Drifted", status: "False", reason: "AsBuilt", message: "" }];
}

/** Returns conditions that mark the unfinished steps as cancelled. */
export function listUnfinished(before: JsonObject, message: string): ConditionWish[] {
  return listConditions(before)
    .filter(({ status }) => status === "False")
    .map(({ type }) => (typeof type === "string" ? type : ""))
    .filter((type) => !["", "Ready", "Placeable", "Drifted", approvalNeeded, upgradePaused].includes(type))
    .map((type) => ({ type, status: "False", reason: "Cancelled", message }));
}
