import type { Json, JsonObject } from "@cloudwright/contract";
import type { Step, StepResult } from "./step.ts";
import type { OperationStatus } from "./scope.ts";

/** How far one pass came: each phase that was asked, with its answer. */
export interface Walked {
  readonly step: Step;
  readonly result: StepResult;
}

/** The steps of an operation after a pass; times that were set before stay. */
export function renderSteps(
  phases: readonly Step[],
  walked: readonly Walked[],
  before: Json | undefined,
  at: string,
): JsonObject[] {
  const old = new Map(((before ?? []) as JsonObject[]).map((step) => [step["name"], step]));
  return phases.map(({ name }, index) => {
    const step = walked[index]?.result;
    const former = old.get(name) ?? {};
    const state = step === undefined ? "WAITING" : stateOf(step);
    const message = step !== undefined && "message" in step ? (step.message ?? "") : "";
    const task = step !== undefined && "task" in step ? step.task : undefined;
    const started = state === "WAITING" ? undefined : (timeOf(task?.startedAtMs) ?? former["startedAt"] ?? at);
    const ended = state === "DONE" || state === "FAILED" ? (timeOf(task?.endedAtMs) ?? former["endedAt"] ?? at) : undefined;
    return {
      name,
      state,
      ...(started === undefined ? {} : { startedAt: started }),
      ...(ended === undefined ? {} : { endedAt: ended }),
      message,
      task: task?.uid ?? "",
    };
  });
}

/** The steps of an operation that ends before they do: what was under way ends with it. */
export function endSteps(before: Json | undefined, state: string, message: string, at: string): JsonObject[] {
  return ((before ?? []) as JsonObject[]).map((step) =>
    step["state"] === "RUNNING" ? { ...step, state, message, endedAt: at } : step,
  );
}

function stateOf(result: StepResult): string {
  if (result.do === "continue") return "DONE";
  if (result.do === "stop") return "FAILED";
  return result.do === "wait" && (result.task?.attempt ?? 0) > 0 ? "RUNNING" : "WAITING";
}

function timeOf(ms: number | null | undefined): string | undefined {
  return ms === null || ms === undefined ? undefined : new Date(ms).toISOString();
}

/**
 * How much of an operation is done, by the weight of its phases; 100 only when all are. What begins once more, after an attempt that failed or
 * for the next version on the way, does not take back what was told.
 */
export function renderPercent(phases: readonly Step[], walked: readonly Walked[], before: OperationStatus): number {
  const reached = before.state === "RUNNING" ? Number(before["progressPercent"] ?? 0) : 0;
  const total = phases.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return reached;
  const done = walked.reduce((sum, { step: phase, result: step }) => {
    if (step.do === "continue") return sum + phase.weight;
    return step.do === "wait" ? sum + (phase.weight * Math.min(step.task?.progress?.percent ?? 0, 99)) / 100 : sum;
  }, 0);
  return Math.max(reached, Math.min(99, Math.floor((100 * done) / total)));
}

/** An operation's status with some of it set anew; what starts and ends is stamped once. */
export function renderOperationStatus(
  before: OperationStatus,
  change: JsonObject & { state: string },
  at: string,
): OperationStatus {
  const ended = change.state === "DONE" || change.state === "FAILED" || change.state === "CANCELLED";
  const begun = change.state !== "WAITING";
  const { endedAt: formerEnd, startedAt, ...rest } = before;
  const start = startedAt ?? (begun ? at : undefined);
  return {
    ...rest,
    ...change,
    ...(start === undefined ? {} : { startedAt: start }),
    ...(ended ? { endedAt: formerEnd ?? at } : {}),
  };
}
