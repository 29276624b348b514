import type { JsonObject } from "@cloudwright/contract";
import { hasCondition, listConditions, type ConditionWish } from "./conditions.ts";
import { approvalNeeded, planWaits, type StepResult } from "./step.ts";

/** Whether an agent exists for the work: said when there is none, and taken back when there is. */
export function renderPlaceable(before: JsonObject, last: StepResult): ConditionWish[] {
  if (last.do === "wait" && last.reason === "NoAgent") {
    return [{ type: "Placeable", status: "False", reason: "NoAgent", message: last.message }];
  }
  // Without a task nobody has asked for an agent.
  if (last.do === "wait" && last.task === undefined) return takeBackPlaceable(before);
  return hasCondition(before, "Placeable", ["False", "Unknown"])
    ? [{ type: "Placeable", status: "True", reason: "Placed", message: "" }]
    : [];
}

/** What was said of missing agents, once there is nothing they are missing for. */
export function takeBackPlaceable(before: JsonObject): ConditionWish[] {
  if (!hasCondition(before, "Placeable", ["False"])) return [];
  return [{ type: "Placeable", status: "Unknown", reason: "NothingToPlace", message: "" }];
}

/** Whether a person has to approve what is to be done: said while that is awaited, and taken back afterwards. */
export function renderApproval(before: JsonObject, last: StepResult): ConditionWish[] {
  if (last.do === "wait" && last.reason === approvalNeeded)
    return [{ type: approvalNeeded, status: "True", reason: planWaits, message: last.message }];
  if (last.do === "stop") return takeBackApproval(before, last.reason);
  return takeBackApproval(before, "NothingToApprove");
}

/** What was said of an approval that nobody waits for any more. */
export function takeBackApproval(before: JsonObject, reason: string): ConditionWish[] {
  if (!hasCondition(before, approvalNeeded, ["True"])) return [];
  return [{ type: approvalNeeded, status: "False", reason, message: "" }];
}

/** What was found changed in the cloud is as asked for again after a run. */
export function takeBackDrift(before: JsonObject): ConditionWish[] {
  if (!hasCondition(before, "Drifted", ["True", "Unknown"])) return [];
  return [{ type: "Drifted", status: "False", reason: "AsBuilt", message: "" }];
}

/** Conditions of what was under way when it was stopped. */
export function listUnfinished(before: JsonObject, message: string): ConditionWish[] {
  return listConditions(before)
    .filter(({ status }) => status === "False")
    .map(({ type }) => (typeof type === "string" ? type : ""))
    .filter((type) => !["", "Ready", "Placeable", "Drifted", approvalNeeded].includes(type))
    .map((type) => ({ type, status: "False", reason: "Cancelled", message }));
}
