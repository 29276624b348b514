import { formatTaskType, hasAction, type JsonObject } from "@cloudwright/contract";
import { listConditions, setConditions } from "./conditions.ts";
import type { Decision, TaskWish } from "./decision.ts";
import { findLastCheck, findLastComparedMs, withCheck } from "./read-check.ts";
import type { Scope } from "./scope.ts";
import { findCheckDueInMs } from "./spread-checks.ts";
import type { Lifecycle, Rules } from "./step.ts";

/** Decides what to do with an entity that has no open operation. Requests a drift check when one is due. */
export function decideIdle(scope: Scope, lifecycle: Lifecycle, rules: Rules, newUid: () => string): Decision {
  const base: Decision = {
    status: settleStatus(scope),
    operations: [],
    tasks: [],
    takeBack: [],
    remove: false,
    recheckAfterMs: findResyncMs(rules, scope.entity.kind),
    wakeAround: false,
  };
  const { status, metadata } = scope.entity.object;
  const runs = status["phase"] === "RUNNING" || status["phase"] === "DEGRADED";
  if (!lifecycle.checked || !runs || metadata.deletedAt !== undefined) return base;
  return withCheck(scope, requestCheck(scope, lifecycle, rules, base), newUid, lifecycle.readStatus);
}

/** Adds a periodic drift check to a decision, if one is due. */
function requestCheck(scope: Scope, { service }: Lifecycle, rules: Rules, decision: Decision): Decision {
  const { uid, kind } = scope.entity;
  const intervalMs = rules.driftMs[kind] ?? 0;
  const last = findLastCheck(scope);
  // If a user has requested a check, the periodic one is unnecessary.
  const isRequested = scope.previews.some(({ object }) => object.spec.verb === "check");
  if (intervalMs === 0 || isRequested || (last !== undefined && last.endedAtMs === null)) return decision;
  const dueInMs = findCheckDueInMs(uid, { intervalMs, lastMs: findLastComparedMs(scope), nowMs: scope.nowMs });
  const recheckAfterMs = Math.min(decision.recheckAfterMs, dueInMs <= 0 ? intervalMs : dueInMs);
  if (dueInMs > 0) return { ...decision, recheckAfterMs };
  const type = formatTaskType(service, "findDrift");
  const wish: TaskWish = { type, lane: "short", operationUid: null, retries: 0, fingerprint: "check", after: last?.uid ?? null };
  return { ...decision, tasks: [wish], recheckAfterMs };
}

/** Returns the time until an entity's next pass, unless the entity is woken earlier. */
export function findResyncMs({ resyncMs, driftMs }: Rules, kind: string): number {
  const often = [resyncMs[kind] || defaultResyncMs, driftMs[kind] || defaultResyncMs];
  return Math.min(...often);
}

const defaultResyncMs = 1_800_000;

/** Returns the outputs of the entity's last successful run. */
export function findOutputs(scope: Scope): JsonObject | undefined {
  const run = scope.tasks.findLast((task) => task.state === "done" && hasAction(task.type, "apply", "verify"));
  return run?.outcome?.state === "done" ? ((run.outcome.result ?? {}) as JsonObject) : undefined;
}

/** Resets the `Ready` condition if it still says that the entity is paused. */
function settleStatus(scope: Scope): JsonObject {
  const { status, metadata } = scope.entity.object;
  if (!hasReason(status, "Ready", "Paused")) return status;
  const runs = status["phase"] === "RUNNING";
  // The last operation's message says why the entity differs from its spec.
  const said = scope.operation?.object.status["message"];
  const message = runs || typeof said !== "string" ? "" : said;
  const ready = { type: "Ready", status: runs ? "True" : "False", reason: runs ? "AsAsked" : "NotAsAsked", message } as const;
  const at = new Date(scope.nowMs).toISOString();
  const conditions = setConditions(status["conditions"] ?? [], [ready], at, metadata.generation ?? 0);
  return { ...status, conditions, message };
}

function hasReason(status: JsonObject, type: string, reason: string): boolean {
  return listConditions(status).some((condition) => condition["type"] === type && condition["reason"] === reason);
}
