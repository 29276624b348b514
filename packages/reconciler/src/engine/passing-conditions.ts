import type { JsonObject } from "@cloudwright/contract";
import { hasCondition, listConditions, type ConditionWish } from "./conditions.ts";
import { approvalNeeded, planWaits, type StepResult } from "./step.ts";

/** Renders the condition about missing agents: False while no agent can run the task, True when one can again. */
export function renderPlaceable(before: JsonObject, last: StepResult): ConditionWish[] {
  if (last.do === "wait" && last.reason === "NoAgent") {
    return [{ type: "Placeable", status: "False", reason: "NoAgent", message: last.message }];
  }
  // Without a task no agent is needed.
  if (last.do === "wait" && last.task === undefined) return takeBackPlaceable(before);
  return hasCondition(before, "Placeable", ["False", "Unknown"])
    ? [{ type: "Placeable", status: "True", reason: "Placed", message: "" }]
    : [];
}

/** Resets the condition about missing agents once no task needs one. */
export function takeBackPlaceable(before: JsonObject): ConditionWish[] {
  if (!hasCondition(before, "Placeable", ["False"])) return [];
  return [{ type: "Placeable", status: "Unknown", reason: "NothingToPlace", message: "" }];
}

/** Renders the condition about approval: True while a plan waits for it, reset afterwards. */
export function renderApproval(before: JsonObject, last: StepResult): ConditionWish[] {
  if (last.do === "wait" && last.reason === approvalNeeded)
    return [{ type: approvalNeeded, status: "True", reason: planWaits, message: last.message }];
  if (last.do === "stop") return takeBackApproval(before, last.reason);
  return takeBackApproval(before, "NothingToApprove");
}

/** Resets the condition about approval once no plan waits for it. */
export function takeBackApproval(before: JsonObject, reason: string): ConditionWish[] {
  if (!hasCondition(before, approvalNeeded, ["True"])) return [];
  return [{ type: approvalNeeded, status: "False", reason, message: "" }];
}

/** Resets the condition about drift after a successful run. */
export function takeBackDrift(before: JsonObject): ConditionWish[] {
  if (!hasCondition(before, "Drifted", ["True", "Unknown"])) return [];
  return [{ type: "Drifted", status: "False", reason: "AsBuilt", message: "" }];
}

/** Returns the conditions of steps that were in progress when the operation was cancelled. */
export function listUnfinished(before: JsonObject, message: string): ConditionWish[] {
  return listConditions(before)
    .filter(({ status }) => status === "False")
    .map(({ type }) => (typeof type === "string" ? type : ""))
    .filter((type) => !["", "Ready", "Placeable", "Drifted", approvalNeeded].includes(type))
    .map((type) => ({ type, status: "False", reason: "Cancelled", message }));
}
