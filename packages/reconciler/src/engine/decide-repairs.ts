import { formatTaskType, hasAction, type JsonObject } from "@cloudwright/contract";
import { reconcilerFaults } from "../faults.ts";
import { followTask, readFault } from "../steps/run-task.ts";
import type { Decision, TaskWish } from "./decision.ts";
import { renderOperationStatus } from "./operation-status.ts";
import { placeableAfterMs } from "./placement.ts";
import { timeOf } from "./render-status.ts";
import type { Scope, ScopeOperation, ScopeTask } from "./scope.ts";
import type { Lifecycle } from "./step.ts";

export type RepairDecision = Pick<Decision, "operations" | "tasks" | "recheckAfterMs" | "event">;

/** Returns whether a task adopts or forgets one resource. */
export function isRepairTask({ type }: Pick<ScopeTask, "type">): boolean {
  return hasAction(type, "adoptResource", "forgetResource");
}

const nothing: RepairDecision = { operations: [], tasks: [], recheckAfterMs: Infinity };

/**
 * Handles the pending operation that adopts or forgets one resource. It changes the state, never the entity's phase or conditions. An entity
 * that is being deleted can be repaired too, because a deletion may fail on a resource that no longer exists.
 */
export function decideRepairs(scope: Scope, { service }: Lifecycle): RepairDecision {
  const [operation] = scope.repairs;
  if (operation === undefined) return nothing;
  const { spec } = operation.object;
  const task = scope.tasks.findLast((each) => isRepairTask(each) && each.operationUid === operation.uid);
  const say = (change: JsonObject & { state: string }, recheckAfterMs = Infinity): RepairDecision => ({
    operations: [{ operation, status: renderOperationStatus(operation.object.status, change, timeOf(scope)) }],
    tasks: [],
    recheckAfterMs,
  });
  // The next pass continues with the entity's own operation.
  const end = (change: JsonObject & { state: string }, event?: Decision["event"]): RepairDecision => ({
    ...say(change, 0),
    ...(event === undefined ? {} : { event }),
  });
  if (task === undefined) {
    if (spec.cancelReason !== "")
      return end({ state: "CANCELLED", message: spec.cancelReason, code: reconcilerFaults.cancelled.code });
    if (scope.pausedBy !== "")
      return say({ state: "WAITING", message: `${scope.pausedBy} is paused; no work starts until it is resumed` });
    return { ...nothing, tasks: [renderWish(operation, service)] };
  }
  switch (task.state) {
    case "done": {
      const message = readMessage(task);
      return end({ state: "DONE", message, progressPercent: 100 }, describeDone(operation, message));
    }
    case "failed": {
      const { message, code } = readFault(task);
      return end({ state: "FAILED", message, code }, describeFailure(operation, message));
    }
    case "cancelled":
      return end({ state: "CANCELLED", message: task.cancelReason, code: reconcilerFaults.cancelled.code });
    default:
      return sayWaiting(scope, task, say);
  }
}

/** Reports what a repair is waiting for. If no agent takes its task, the entity is checked again once `findUnplaceable` can tell why. */
function sayWaiting(
  scope: Scope,
  task: ScopeTask,
  say: (change: JsonObject & { state: string }, recheckAfterMs?: number) => RepairDecision,
): RepairDecision {
  const step = followTask(scope, task, task.type, "short");
  const message = step.do === "wait" ? step.message : `${task.type} is waiting`;
  const progressPercent = Math.min(task.progress?.percent ?? 0, 99);
  if (task.state === "leased") return say({ state: "RUNNING", message, progressPercent });
  const again = step.do === "wait" ? step.recheckAfterMs : undefined;
  const isEarly = task.state === "ready" && scope.agents === undefined;
  const untilAsked = isEarly ? Math.max(task.createdAtMs + placeableAfterMs - scope.nowMs, 0) + 100 : Infinity;
  return say({ state: task.attempt > 0 ? "RUNNING" : "WAITING", message }, again ?? untilAsked);
}

function renderWish({ uid, object }: ScopeOperation, service: Lifecycle["service"]): TaskWish {
  const { verb, repair } = object.spec;
  return {
    type: formatTaskType(service, verb === "adopt" ? "adoptResource" : "forgetResource"),
    lane: "short",
    operationUid: uid,
    retries: 0,
    fingerprint: verb,
    after: null,
    ...(repair === undefined ? {} : { repair }),
  };
}

function readMessage({ outcome }: ScopeTask): string {
  const { message } = ((outcome?.state === "done" ? outcome.result : undefined) ?? {}) as { message?: unknown };
  return typeof message === "string" && message !== "" ? message : "done";
}

function describeDone({ object }: ScopeOperation, message: string): Decision["event"] {
  const { verb, actor, repair } = object.spec;
  if (repair?.dryRun === true) return undefined;
  const reason = verb === "adopt" ? "ResourceAdopted" : "ResourceForgotten";
  return { type: "Normal", reason, message: `${message} (requested by ${actor})` };
}

function describeFailure({ object }: ScopeOperation, message: string): Decision["event"] {
  const { verb, actor, repair } = object.spec;
  if (repair?.dryRun === true) return undefined;
  const reason = verb === "adopt" ? "AdoptionFailed" : "ForgetFailed";
  return { type: "Warning", reason, message: `${message} (requested by ${actor})` };
}
