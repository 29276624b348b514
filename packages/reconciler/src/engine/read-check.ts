import { hasAction, type JsonObject } from "@cloudwright/contract";
import { hasCondition, setConditions, type ConditionWish } from "./conditions.ts";
import { decideDrift } from "./decide-drift.ts";
import type { Decision } from "./decision.ts";
import type { Scope, ScopeTask } from "./scope.ts";

/** Returns the newest drift check of an entity, finished or not. */
export function findLastCheck({ tasks }: Scope): ScopeTask | undefined {
  return tasks.findLast(({ type }) => hasAction(type, "findDrift"));
}

/** Returns the time at which the entity's resources were last built or compared with the state. Returns 0 if that time is unknown. */
export function findLastComparedMs(scope: Scope): number {
  return Math.max(findLastCheck(scope)?.endedAtMs ?? 0, findBuiltMs(scope));
}

/**
 * Adds the result of the last drift check to a decision: the `Drifted` condition, the `drift` status field, the drift report and an event.
 * Ignores a check that ended before the last apply, because the resources have changed since.
 */
export function withCheck(scope: Scope, decision: Decision, newUid: () => string): Decision {
  const last = findLastCheck(scope);
  const check = last?.endedAtMs == null || findBuiltMs(scope) > last.endedAtMs ? undefined : last;
  const finding = check === undefined ? undefined : readFinding(check);
  const report = decision.drift ?? decideDrift(scope, check, newUid);
  const event = finding === undefined ? undefined : renderDriftEvent(scope, finding);
  return {
    ...decision,
    status: { ...setFinding(scope, decision.status, finding), drift: renderDriftStatus(scope, decision.status, check) },
    ...(event === undefined ? {} : { event }),
    ...(report === undefined ? {} : { drift: report }),
    // The next pass runs immediately and decides what to do about the drift.
    ...(report?.do === "open" ? { recheckAfterMs: 0 } : {}),
  };
}

/** Renders the event for newly found drift, or for drift that has disappeared. */
function renderDriftEvent({ entity }: Scope, { status, message }: ConditionWish): Decision["event"] {
  const wasDrifted = hasCondition(entity.object.status, "Drifted", ["True"]);
  if (status === "True") return wasDrifted ? undefined : { type: "Warning", reason: "Drifted", message };
  if (status !== "False" || !wasDrifted) return undefined;
  return { type: "Normal", reason: "DriftGone", message: "the cloud resources again match what was last applied" };
}

function setFinding(scope: Scope, status: JsonObject, finding: ConditionWish | undefined): JsonObject {
  if (finding === undefined) return status;
  const at = new Date(scope.nowMs).toISOString();
  const generation = scope.entity.object.metadata.generation ?? 0;
  return { ...status, conditions: setConditions(status["conditions"] ?? [], [finding], at, generation) };
}

/**
 * Renders the `drift` status field. If no finished check is left, because tasks are pruned after some time, the field keeps its value or
 * becomes outdated after a later apply.
 */
function renderDriftStatus(scope: Scope, status: JsonObject, check: ScopeTask | undefined): JsonObject {
  const before = (status["drift"] ?? {}) as JsonObject;
  const former: JsonObject = { state: "NEVER_CHECKED", ...before };
  if (check?.endedAtMs == null) {
    const { checkedAt } = former;
    const checkedMs = typeof checkedAt === "string" ? Date.parse(checkedAt) : Number.NaN;
    return findBuiltMs(scope) > checkedMs ? { ...former, state: "OUTDATED", resources: 0, message: "" } : former;
  }
  const finding = readFinding(check);
  if (finding === undefined) return former;
  const { items } = (check.outcome?.state === "done" ? (check.outcome.result ?? {}) : {}) as { items?: unknown };
  const state = finding.status === "Unknown" ? "CHECK_FAILED" : finding.status === "True" ? "DRIFTED" : "IN_SYNC";
  return {
    state,
    checkedAt: new Date(check.endedAtMs).toISOString(),
    resources: state === "DRIFTED" && Array.isArray(items) ? items.length : 0,
    message: finding.message,
  };
}

function findBuiltMs({ tasks }: Scope): number {
  return tasks.findLast(({ type, state }) => hasAction(type, "apply") && state === "done")?.endedAtMs ?? 0;
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
