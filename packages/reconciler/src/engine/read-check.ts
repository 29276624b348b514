import { hasAction, type JsonObject } from "@cloudwright/contract";
import { isObject } from "@cloudwright/platform";
import { hasCondition, setConditions, type ConditionWish } from "./conditions.ts";
import { decideDrift } from "./decide-drift.ts";
import type { Decision, DriftWish } from "./decision.ts";
import type { Scope, ScopeTask } from "./scope.ts";
import type { Lifecycle } from "./step.ts";

/** Returns an entity's newest drift check, whether or not it has finished. */
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
export function withCheck(scope: Scope, decision: Decision, newUid: () => string, readStatus: Lifecycle["readStatus"]): Decision {
  const last = findLastCheck(scope);
  const check = last?.endedAtMs == null || findBuiltMs(scope) > last.endedAtMs ? undefined : last;
  const report = decision.drift ?? decideDrift(scope, check, newUid);
  const kept = check === undefined ? findKept(scope, report) : undefined;
  const finding = check === undefined ? kept && describeKept(kept) : readFinding(check);
  const event = finding === undefined ? undefined : renderDriftEvent(scope, finding);
  return {
    ...decision,
    status: {
      ...setFinding(scope, decision.status, finding),
      ...readStatus(readObserved(check)),
      drift: renderDriftStatus(scope, decision.status, check, kept),
    },
    ...(event === undefined ? {} : { event }),
    ...(report === undefined ? {} : { drift: report }),
    // If a check has found new drift, the next pass runs immediately to decide what to do about it. Drift that a run kept needs no
    // decision.
    ...(report?.do === "open" && kept === undefined ? { recheckAfterMs: 0 } : {}),
  };
}

/** Returns the outputs that a drift check reported. Only drift checks of entities that the platform did not create report outputs. */
function readObserved(check: ScopeTask | undefined): JsonObject {
  if (check?.outcome?.state !== "done") return {};
  const { observed } = (check.outcome.result ?? {}) as { observed?: unknown };
  return isObject(observed) ? (observed as JsonObject) : {};
}

/**
 * Returns the addresses of the resources whose external changes the last run kept. Undefined unless the report about these changes is open.
 */
function findKept(scope: Scope, report: DriftWish | undefined): readonly string[] | undefined {
  const { drift } = scope;
  const isOpen = report === undefined && drift?.endedAtMs === null && drift.taskUid === findBuilt(scope)?.uid;
  const items = report?.do === "open" ? report.items : isOpen ? drift.items : undefined;
  return items?.map((item) => (item as { address?: string } | null)?.address ?? "");
}

const mostNamed = 3;

function describeKept(addresses: readonly string[]): ConditionWish {
  const named = addresses.slice(0, mostNamed).join(", ");
  const more = addresses.length > mostNamed ? ` and ${addresses.length - mostNamed} more` : "";
  const message = `the last run found and kept changes made outside the platform: ${named}${more}`;
  return { type: "Drifted", status: "True", reason: "Kept", message };
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
 * Renders the `drift` status field. Finished checks are pruned after some time. Once no finished check remains, the field keeps its value,
 * or changes to OUTDATED after a later apply.
 */
function renderDriftStatus(
  scope: Scope,
  status: JsonObject,
  check: ScopeTask | undefined,
  kept: readonly string[] | undefined,
): JsonObject {
  if (kept !== undefined) {
    const foundMs = scope.drift?.endedAtMs === null ? scope.drift.foundAtMs : scope.nowMs;
    const checkedAt = new Date(Math.max(foundMs, findBuiltMs(scope))).toISOString();
    return { state: "DRIFTED", checkedAt, resources: kept.length, message: describeKept(kept).message };
  }
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

function findBuiltMs(scope: Scope): number {
  return findBuilt(scope)?.endedAtMs ?? 0;
}

function findBuilt({ tasks }: Scope): ScopeTask | undefined {
  return tasks.findLast(({ type, state }) => hasAction(type, "apply", "verify") && state === "done");
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
