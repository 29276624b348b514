import type { Json, JsonObject } from "@cloudwright/contract";
import type { Step, StepResult } from "./step.ts";
import type { OperationStatus } from "./scope.ts";

/** A step that was evaluated in this pass, with its result. */
export interface Walked {
  readonly step: Step;
  readonly result: StepResult;
}

/** Renders an operation's steps after a pass. Start and end times that are already set do not change. */
export function renderSteps(
  sequence: readonly Step[],
  walked: readonly Walked[],
  before: Json | undefined,
  at: string,
): JsonObject[] {
  const old = new Map(((before ?? []) as JsonObject[]).map((step) => [step["name"], step]));
  return sequence.map(({ name }, index) => {
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

/** Renders the steps of an operation that ends early. Steps in progress end too. */
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
 * Returns an operation's progress as a percentage of at most 99, based on the weights of its steps. The percentage never decreases, even if
 * a step is repeated after a failure or for the next version of an upgrade.
 */
export function renderPercent(sequence: readonly Step[], walked: readonly Walked[], before: OperationStatus): number {
  const reached = before.state === "RUNNING" ? Number(before["progressPercent"] ?? 0) : 0;
  const total = sequence.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return reached;
  const done = walked.reduce((sum, { step, result }) => {
    if (result.do === "continue") return sum + step.weight;
    return result.do === "wait" ? sum + (step.weight * Math.min(result.task?.progress?.percent ?? 0, 99)) / 100 : sum;
  }, 0);
  return Math.max(reached, Math.min(99, Math.floor((100 * done) / total)));
}

/** Returns an operation's status with the changed fields. Start and end times are set only once. */
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
