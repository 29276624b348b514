import { formatTaskType, hasAction, type JsonObject } from "@cloudwright/contract";
import { reconcilerFaults } from "../faults.ts";
import { followTask, readFault } from "../steps/run-task.ts";
import type { Decision, TaskWish } from "./decision.ts";
import { renderOperationStatus } from "./operation-status.ts";
import { findUnplaceable, placeableAfterMs } from "./placement.ts";
import { timeOf } from "./render-status.ts";
import type { Scope, ScopeOperation, ScopeTask } from "./scope.ts";
import type { Lifecycle } from "./step.ts";

export type RepairDecision = Pick<Decision, "operations" | "tasks" | "takeBack" | "recheckAfterMs" | "event" | "forgotten">;

/** Returns whether a task adopts or forgets one resource. */
export function isRepairTask({ type }: Pick<ScopeTask, "type">): boolean {
  return hasAction(type, "adoptResource", "forgetResource");
}

const nothing: RepairDecision = { operations: [], tasks: [], takeBack: [], recheckAfterMs: Infinity };

/** How long a repair waits for an agent. A waiting repair blocks all runs for the entity, so the wait is limited. */
const patienceMs = 600_000;

/**
 * Handles the pending operation that adopts or forgets one resource. Such an operation changes the state, but never the entity's phase or
 * conditions. An entity that is being deleted can be repaired too, because its deletion may fail on a resource that no longer exists.
 */
export function decideRepairs(scope: Scope, { service }: Lifecycle): RepairDecision {
  const [operation] = scope.repairs;
  if (operation === undefined) return nothing;
  const { spec } = operation.object;
  const task = scope.tasks.findLast((each) => isRepairTask(each) && each.operationUid === operation.uid);
  const say = (change: JsonObject & { state: string }, recheckAfterMs = Infinity): RepairDecision => ({
    ...nothing,
    operations: [{ operation, status: renderOperationStatus(operation.object.status, change, timeOf(scope)) }],
    recheckAfterMs,
  });
  // The next pass continues with the entity's own operation.
  const end = (change: JsonObject & { state: string }): RepairDecision => say(change, 0);
  /** Ends a repair that changed nothing. Removes the records of the resources that it was asked to forget. */
  const giveUp = (change: JsonObject & { state: string }): RepairDecision => ({
    ...end(change),
    ...(spec.verb === "forget" ? { forgotten: { do: "undo", operationUid: operation.uid } } : {}),
  });
  const cancel = (message: string): RepairDecision =>
    giveUp({ state: "CANCELLED", message, code: reconcilerFaults.cancelled.code });
  const forced = findForcedDeletion(scope);
  if (task === undefined) {
    if (spec.cancelReason !== "") return cancel(spec.cancelReason);
    if (forced !== undefined) return cancel(`superseded by the forced deletion ${forced}`);
    if (scope.pausedBy !== "")
      return say({ state: "WAITING", message: `${scope.pausedBy} is paused; no work starts until it is resumed` });
    return { ...nothing, tasks: [renderWish(operation, service)] };
  }
  switch (task.state) {
    case "done": {
      const message = readMessage(task);
      return {
        ...end({ state: "DONE", message, progressPercent: 100 }),
        ...describeDone(operation, message),
        ...readAdopted(operation, task),
      };
    }
    case "failed": {
      const { message, code } = readFault(task);
      return { ...giveUp({ state: "FAILED", message, code }), ...describeFailure(operation, message) };
    }
    case "cancelled":
      return cancel(task.cancelReason);
    case "leased":
      return sayWaiting(scope, task, say);
    default: {
      if (forced !== undefined) return { ...cancel(`superseded by the forced deletion ${forced}`), takeBack: [task.uid] };
      const waitedMs = scope.nowMs - Math.max(task.createdAtMs, task.startedAtMs ?? 0, task.delayedUntilMs ?? 0);
      const untilGivenUpMs = patienceMs - waitedMs;
      if (untilGivenUpMs > 0) {
        const waiting = sayWaiting(scope, task, say);
        return { ...waiting, recheckAfterMs: Math.min(waiting.recheckAfterMs, untilGivenUpMs + 100) };
      }
      const minutes = patienceMs / 60_000;
      const busy = task.state === "waiting" ? "another task for the entity has not ended" : "all suitable agents were busy";
      const why = findUnplaceable(scope, task) ?? busy;
      const message = `no agent started ${task.type} within ${minutes} minutes: ${why}`;
      const { code } = reconcilerFaults.repair_not_started;
      return {
        ...giveUp({ state: "FAILED", message, code }),
        ...describeFailure(operation, message),
        takeBack: [task.uid],
      };
    }
  }
}

/**
 * Returns the name of the operation that force-deletes the entity, if there is one. A forced deletion does not wait for a repair that no
 * agent has started.
 */
function findForcedDeletion({ operation }: Scope): string | undefined {
  const { metadata, spec, status } = operation?.object ?? {};
  const isOpen = status?.state === "WAITING" || status?.state === "RUNNING";
  return isOpen && spec?.verb === "delete" && spec.force ? metadata?.name : undefined;
}

/**
 * Deletes the record of a forgotten resource after it has been adopted again. Older agents do not report the resource's type and its id in
 * the state, so the requested id is used.
 */
function readAdopted({ object }: ScopeOperation, { outcome }: ScopeTask): Pick<Decision, "forgotten"> {
  const { verb, repair } = object.spec;
  if (verb !== "adopt" || repair === undefined || repair.dryRun) return {};
  const { type, id } = ((outcome?.state === "done" ? outcome.result : undefined) ?? {}) as { type?: unknown; id?: unknown };
  if (typeof type === "string" && typeof id === "string" && id !== "") return { forgotten: { do: "adopted", type, id } };
  return { forgotten: { do: "adopted", id: repair.id } };
}

/**
 * Reports what a repair is waiting for. If no agent takes its task, schedules another pass for the time at which `findUnplaceable` can tell
 * why.
 */
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

function describeDone({ object }: ScopeOperation, message: string): Pick<Decision, "event"> {
  const { verb, actor, repair } = object.spec;
  if (repair?.dryRun === true) return {};
  const reason = verb === "adopt" ? "ResourceAdopted" : "ResourceForgotten";
  return { event: { type: "Normal", reason, message: `${message} (requested by ${actor})` } };
}

function describeFailure({ object }: ScopeOperation, message: string): Pick<Decision, "event"> {
  const { verb, actor, repair } = object.spec;
  if (repair?.dryRun === true) return {};
  const reason = verb === "adopt" ? "AdoptionFailed" : "ForgetFailed";
  return { event: { type: "Warning", reason, message: `${message} (requested by ${actor})` } };
}
