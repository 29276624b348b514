import { formatTaskType, hasAction, type JsonObject } from "@cloudwright/contract";
import { hasCondition, listConditions, setConditions, type ConditionWish } from "./conditions.ts";
import { decideDrift } from "./decide-drift.ts";
import type { Decision, TaskWish } from "./decision.ts";
import type { Lifecycle, Rules } from "./step.ts";
import type { Scope, ScopeTask } from "./scope.ts";

/** Decides what to do with an entity that has no open operation. Requests a drift check when one is due. */
export function decideIdle(scope: Scope, lifecycle: Lifecycle, rules: Rules, newUid: () => string): Decision {
  const { entity } = scope;
  const resyncMs = findResyncMs(rules, entity.kind);
  const driftMs = rules.driftMs[entity.kind] ?? 0;
  const runs = entity.object.status["phase"] === "RUNNING" || entity.object.status["phase"] === "DEGRADED";
  const base = { operations: [], takeBack: [], remove: false, wakeAround: false } as const;
  if (!lifecycle.checked || driftMs === 0 || !runs || entity.object.metadata.deletedAt !== undefined) {
    return { ...base, status: settleStatus(scope, []), tasks: [], recheckAfterMs: resyncMs };
  }
  const type = formatTaskType(lifecycle.service, "findDrift");
  const last = scope.tasks.findLast((task) => task.type === type);
  const dueInMs = findDueInMs(scope, last, driftMs);
  const wish: TaskWish = { type, lane: "short", operationUid: null, retries: 0, fingerprint: "check", after: last?.uid ?? null };
  const look = last === undefined || isRebuilt(scope, last) ? undefined : last;
  const finding = look === undefined ? undefined : readFinding(look);
  const drift = decideDrift(scope, look, newUid);
  return {
    ...base,
    status: settleStatus(scope, finding === undefined ? [] : [finding]),
    tasks: dueInMs <= 0 ? [wish] : [],
    ...(finding?.status === "True" && !hasCondition(entity.object.status, "Drifted", ["True"])
      ? { event: { type: "Warning", reason: "Drifted", message: finding.message } as const }
      : {}),
    ...(drift === undefined ? {} : { drift }),
    // The next pass runs immediately and decides what to do about the drift.
    recheckAfterMs: drift?.do === "open" ? 0 : Math.min(resyncMs, dueInMs <= 0 ? driftMs : dueInMs),
  };
}

/** Returns the time until the next pass of an entity that is not woken earlier. */
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

/** Adds the given conditions to the status. Resets `Ready` if it still says that the entity is paused. */
function settleStatus(scope: Scope, wishes: readonly ConditionWish[]): JsonObject {
  const { status, metadata } = scope.entity.object;
  const paused = hasReason(status, "Ready", "Paused");
  const runs = status["phase"] === "RUNNING";
  // The last operation's message says why the entity differs from its spec.
  const said = scope.operation?.object.status["message"];
  const message = runs || typeof said !== "string" ? "" : said;
  const ready: ConditionWish[] = paused
    ? [{ type: "Ready", status: runs ? "True" : "False", reason: runs ? "AsAsked" : "NotAsAsked", message }]
    : [];
  const all = [...wishes, ...ready];
  if (all.length === 0) return status;
  const conditions = setConditions(
    status["conditions"] ?? [],
    all,
    new Date(scope.nowMs).toISOString(),
    metadata.generation ?? 0,
  );
  return { ...status, conditions, ...(paused ? { message } : {}) };
}

function findDueInMs(scope: Scope, last: ScopeTask | undefined, driftMs: number): number {
  // A successful apply after the last check counts as a drift check.
  const looked = last !== undefined && !isRebuilt(scope, last) ? last : findBuilt(scope);
  if (looked === undefined) return 0;
  return looked.endedAtMs === null ? driftMs : looked.endedAtMs + driftMs - scope.nowMs;
}

/** Returns whether an apply has succeeded since a drift check, which makes its result outdated. */
function isRebuilt(scope: Scope, look: ScopeTask): boolean {
  return look.endedAtMs !== null && (findBuilt(scope)?.endedAtMs ?? 0) > look.endedAtMs;
}

function findBuilt(scope: Scope): ScopeTask | undefined {
  return scope.tasks.findLast(({ type, state }) => hasAction(type, "apply") && state === "done");
}

function readFinding({ state, outcome }: ScopeTask): ConditionWish | undefined {
  if (state === "failed") {
    const message = outcome?.state === "failed" ? outcome.fault.message : "";
    return { type: "Drifted", status: "Unknown", reason: "CheckFailed", message };
  }
  if (outcome?.state !== "done") return undefined;
  const { drifted, summary } = (outcome.result ?? {}) as { drifted?: unknown; summary?: unknown };
  return {
    type: "Drifted",
    status: drifted === true ? "True" : "False",
    reason: drifted === true ? "Changed" : "AsBuilt",
    message: typeof summary === "string" ? summary : "",
  };
}

function hasReason(status: JsonObject, type: string, reason: string): boolean {
  return listConditions(status).some((condition) => condition["type"] === type && condition["reason"] === reason);
}
