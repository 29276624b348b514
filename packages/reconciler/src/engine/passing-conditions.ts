import type { JsonObject } from "@cloudwright/contract";
import { hasCondition, listConditions, type ConditionWish } from "./conditions.ts";
import type { Step } from "./phase.ts";

/** Whether an agent exists for the work: said when there is none, and taken back when there is. */
export function renderPlaceable(before: JsonObject, last: Step): ConditionWish[] {
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
    .filter((type) => !["", "Ready", "Placeable", "Drifted"].includes(type))
    .map((type) => ({ type, status: "False", reason: "Cancelled", message }));
}
