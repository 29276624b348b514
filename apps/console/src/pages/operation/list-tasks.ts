import type { OperationStepJson, TimelineEntryJson } from "@cloudwright/api-client";

/** A task whose log can be shown. */
export interface TaskRef {
  readonly uid: string;
  readonly name: string;
  readonly state: string;
}

/** Returns the tasks of an operation. Operations without steps, such as the adoption of a resource, have tasks in their timeline only. */
export function listTasks(
  steps: readonly OperationStepJson[],
  timeline: readonly TimelineEntryJson[],
  isOver: boolean,
): readonly TaskRef[] {
  const ofSteps = steps.flatMap(({ task = "", name = "", state = "" }) => (task === "" ? [] : [{ uid: task, name, state }]));
  if (ofSteps.length > 0) return ofSteps;
  const ofTimeline = timeline.filter(({ source, task = "" }) => source === "task" && task !== "");
  const state = isOver ? "DONE" : "RUNNING";
  return [...new Map(ofTimeline.map(({ task = "", taskType = "" }) => [task, { uid: task, name: taskType, state }])).values()];
}
