import { formatTaskType, getTaskService, hasAction, type JsonObject, type TaskService } from "@cloudwright/contract";
import { reconcilerFaults } from "../faults.ts";
import { describeProgress, followTask, readFault } from "../steps/run-task.ts";
import type { Decision, TaskWish } from "./decision.ts";
import { renderOperationStatus } from "./operation-status.ts";
import type { Lifecycle } from "./step.ts";
import { findOutputs } from "./decide-idle.ts";
import { placeableAfterMs } from "./placement.ts";
import { readFindings } from "./read-findings.ts";
import { timeOf } from "./render-status.ts";
import type { Scope, ScopeOperation, ScopeTask } from "./scope.ts";

export type PreviewDecision = Pick<Decision, "operations" | "tasks" | "recheckAfterMs">;

/** Returns whether a task belongs to an operation that does not change the entity: a preview, preflight, discovery, requested drift check or work on images. */
export function isPreviewTask({ type, operationUid }: Pick<ScopeTask, "type" | "operationUid">): boolean {
  return (
    hasAction(type, "preview", "listFindings", "discover", "manageImages") ||
    (hasAction(type, "findDrift") && operationUid !== null)
  );
}

const nothing: PreviewDecision = { operations: [], tasks: [], recheckAfterMs: Infinity };

/**
 * Handles one pending preview, preflight or drift check at a time, oldest first. Such operations run independently of the entity's own
 * operation and never change its phase.
 */
export function decidePreviews(scope: Scope, { service }: Lifecycle): PreviewDecision {
  const [operation] = scope.previews;
  if (operation === undefined) return nothing;
  const { spec } = operation.object;
  const isPreflight = spec.verb === "preflight";
  const task = scope.tasks.findLast((each) => isPreviewTask(each) && each.operationUid === operation.uid);
  const say = (change: JsonObject & { state: string }, recheckAfterMs = Infinity): PreviewDecision => ({
    operations: [{ operation, status: renderOperationStatus(operation.object.status, change, timeOf(scope)) }],
    tasks: [],
    recheckAfterMs,
  });
  // The next pass handles the next preview.
  const end = (change: JsonObject & { state: string }): PreviewDecision => say(change, scope.previews.length > 1 ? 0 : Infinity);
  if (scope.entity.object.metadata.deletedAt !== undefined)
    return end({ state: "CANCELLED", message: "the entity is being deleted" });
  if (task === undefined) {
    if (spec.cancelReason !== "") return end({ state: "CANCELLED", message: spec.cancelReason });
    if (spec.verb === "preview" && spec.candidateName && findOutputs(scope) === undefined) {
      if (spec.deletion === true) return end({ state: "DONE", message: "no infrastructure was built", progressPercent: 100 });
      const message = `${service} "${scope.entity.name}" must be built before entities in it can be previewed`;
      return end({ state: "FAILED", message, code: reconcilerFaults.not_built.code });
    }
    if (scope.pausedBy !== "")
      return say({ state: "WAITING", message: `${scope.pausedBy} is paused; no work starts until it is resumed` });
    return { ...nothing, tasks: [renderWish(operation, service)] };
  }
  switch (task.state) {
    case "done": {
      if (spec.verb === "check") return end({ state: "DONE", message: tellDrift(task), progressPercent: 100 });
      if (spec.verb === "discover")
        return end({ state: "DONE", message: "done", progressPercent: 100, clusters: readRecords(task, "clusters") });
      if (spec.verb === "images")
        return end({ state: "DONE", message: "done", progressPercent: 100, images: readRecords(task, "images") });
      const found = {
        ...(isPreflight ? {} : { preview: readItems(task) }),
        findings: [...listKnown(operation), ...readFindings(resultOf(task))],
      };
      return end({ state: "DONE", message: "done", progressPercent: 100, ...found });
    }
    case "failed": {
      const { message, code } = readFault(task);
      return end({ state: "FAILED", message, code });
    }
    case "cancelled":
      return end({ state: "CANCELLED", message: task.cancelReason, code: reconcilerFaults.cancelled.code });
    default:
      return sayWaiting(scope, task, say);
  }
}

/**
 * Reports what a preview is waiting for. If no agent takes its task, schedules another pass for the time at which `findUnplaceable` can
 * tell why.
 */
function sayWaiting(
  scope: Scope,
  task: ScopeTask,
  say: (change: { state: string; message: string }, recheckAfterMs?: number) => PreviewDecision,
): PreviewDecision {
  const step = followTask(scope, task, task.type, "short");
  const message = step.do === "wait" ? step.message : `${task.type} is waiting`;
  if (task.state === "leased") return say({ state: "RUNNING", message: describeProgress(task, "running checks") });
  const again = step.do === "wait" ? step.recheckAfterMs : undefined;
  const isEarly = task.state === "ready" && scope.agents === undefined;
  const untilAsked = isEarly ? Math.max(task.createdAtMs + placeableAfterMs - scope.nowMs, 0) + 100 : Infinity;
  return say({ state: task.attempt > 0 ? "RUNNING" : "WAITING", message }, again ?? untilAsked);
}

function renderWish({ uid, object, environment }: ScopeOperation, own: TaskService): TaskWish {
  const { verb, candidate = {}, candidateName: name = "", candidateKind: kind = "Cluster", deletion = false } = object.spec;
  if (verb === "check") {
    const type = formatTaskType(own, "findDrift");
    return { type, lane: "short", operationUid: uid, retries: 0, fingerprint: "check", after: null };
  }
  if (verb === "discover") {
    const type = formatTaskType(own, "discover");
    const region = object.spec.discoverRegion ?? "";
    return { type, lane: "short", operationUid: uid, retries: 0, fingerprint: "discover", after: null, region };
  }
  if (verb === "images") {
    const { imageWork = {} } = object.spec;
    const type = formatTaskType(own, "manageImages");
    return { type, lane: "long", operationUid: uid, retries: 0, fingerprint: "images", after: null, imageWork };
  }
  const wish = { operationUid: uid, retries: 0, after: null, candidate } as const;
  // Only the owner's runs build its parts, such as node pools. To preview the deletion of a part, plan the owner without it.
  if (deletion && name !== "")
    return { ...wish, type: formatTaskType(own, "preview"), lane: "long", fingerprint: "preview", withoutPart: name };
  const service = name === "" ? own : getTaskService(kind);
  return {
    ...wish,
    ...(verb === "preflight"
      ? { type: formatTaskType(service, "listFindings"), lane: "short", fingerprint: "preflight" }
      : { type: formatTaskType(service, "preview"), lane: "long", fingerprint: "preview" }),
    ...(deletion ? { deletion } : {}),
    ...(name === "" ? {} : { newcomer: { kind, uid, name, environment } }),
  };
}

/** Summarises the findings of a drift check in one line. */
function tellDrift(task: ScopeTask): string {
  const { drifted, summary, message } = (resultOf(task) ?? {}) as { drifted?: unknown; summary?: unknown; message?: unknown };
  // Checks of entities that the platform does not build, such as inventories, say what they found.
  if (typeof message === "string" && message !== "") return message;
  if (drifted !== true) return "no drift: the cloud resources match what was last applied";
  return typeof summary === "string" && summary !== "" ? `drift found: ${summary}` : "drift found";
}

/** Returns the findings that the API recorded when it accepted the request. */
function listKnown({ object }: ScopeOperation): JsonObject[] {
  return (object.status["findings"] ?? []) as JsonObject[];
}

function resultOf({ outcome }: ScopeTask): unknown {
  return outcome?.state === "done" ? outcome.result : undefined;
}

function readRecords(task: ScopeTask, name: "clusters" | "images"): JsonObject[] {
  return ((resultOf(task) ?? {}) as Readonly<Record<string, JsonObject[] | undefined>>)[name] ?? [];
}

function readItems(task: ScopeTask): JsonObject[] {
  const { items } = (resultOf(task) ?? {}) as { items?: JsonObject[] };
  return items ?? [];
}
