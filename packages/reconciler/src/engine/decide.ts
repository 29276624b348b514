import type { JsonObject, NewOperation } from "@cloudwright/contract";
import { reconcilerFaults } from "../faults.ts";

import { setConditions, type ConditionWish } from "./conditions.ts";
import type { Decision, TaskWish } from "./decision.ts";
import { decideIdle, findOutputs, findResyncMs } from "./decide-idle.ts";
import { describeWindows, isMaintenance } from "./maintenance.ts";
import { endSteps, renderOperationStatus, renderPercent, renderSteps, type Walked } from "./operation-status.ts";
import { listUnfinished, renderPlaceable, takeBackDrift, takeBackPlaceable } from "./passing-conditions.ts";
import type { KindPlan, Phase, Rules, Step, Work } from "./phase.ts";
import type { Scope, ScopeOperation } from "./scope.ts";

/** Where an operation's fingerprint is kept: unchanged inputs never ask for work again. */
export const fingerprintAnnotation = "cloudwright.dev/fingerprint";

/** Decides what to do about one entity. Pure: the scope in, everything to write out. */
export function decide(scope: Scope, plan: KindPlan, rules: Rules, newUid: () => string): Decision {
  const decision = decideWork(scope, plan, rules, newUid);
  const superseded = scope.olderOperations.map((operation) => closeSuperseded(scope, operation));
  return { ...decision, operations: [...decision.operations, ...superseded] };
}

function decideWork(scope: Scope, plan: KindPlan, rules: Rules, newUid: () => string): Decision {
  const deleting = scope.entity.object.metadata.deletedAt !== undefined;
  const fingerprint = deleting ? "deletion" : plan.fingerprint(scope);
  const { operation } = scope;
  const open = operation !== undefined && isOpen(operation) ? operation : undefined;
  // To stop is allowed in a pause, too.
  if (open !== undefined && open.object.spec.cancelReason !== "") return decideCancelled(scope, open, fingerprint, rules);
  if (scope.pausedBy !== "") return decidePaused(scope, open, rules);
  if (open !== undefined) return decideSteps(scope, plan, rules, open, fingerprint);
  if (operation !== undefined && operation.object.metadata.annotations?.[fingerprintAnnotation] === fingerprint) {
    if (isOvertaken(scope, plan, rules, operation))
      return openOperation(scope, rules, newUid(), deleting ? "delete" : "repair", plan.follows);
    if (!isFreed(scope, operation)) return decideIdle(scope, plan, rules);
  }
  return openOperation(scope, rules, newUid(), deleting ? "delete" : operation === undefined ? "create" : "repair");
}

/** Whether what an operation failed to bring about came about since, by the work of another. */
function isOvertaken(scope: Scope, plan: KindPlan, rules: Rules, { object }: ScopeOperation): boolean {
  if (plan.follows === undefined || object.status.state === "DONE") return false;
  const deleting = scope.entity.object.metadata.deletedAt !== undefined;
  const work: Work = {
    operationUid: "",
    spec: { verb: deleting ? "delete" : "repair", force: false, retries: 0 },
    fingerprint: "",
  };
  return walk(scope, deleting ? plan.deletion : plan.creation, work, rules).every(({ step }) => step.do === "continue");
}

/** Whether a deletion that ended because of what lay below it can go on. */
function isFreed(scope: Scope, { object }: ScopeOperation): boolean {
  return object.status["code"] === reconcilerFaults.children_failed.code && scope.children.failed.length === 0;
}

/** Whether an operation has not ended. */
function isOpen({ object }: ScopeOperation): boolean {
  return object.status.state === "WAITING" || object.status.state === "RUNNING";
}

function closeSuperseded(scope: Scope, operation: ScopeOperation): Decision["operations"][number] {
  const by = scope.operation?.object.metadata.name ?? "another operation";
  const change = { state: "CANCELLED", message: `superseded by ${by}` };
  return { operation, status: renderOperationStatus(operation.object.status, change, timeOf(scope)) };
}

/** Something the entity depends on has changed though nobody changed the entity: the platform acts by itself, and says so. */
function openOperation(scope: Scope, rules: Rules, uid: string, verb: NewOperation["verb"], why?: string): Decision {
  const reasons: Partial<Record<typeof verb, string>> = {
    repair: "what it depends on has changed",
    delete: "what lay below it is gone",
  };
  const message = why ?? reasons[verb] ?? "nobody has begun it yet";
  return {
    ...unchanged(scope, rules),
    opens: { uid, verb, force: verb === "delete" && scope.operation?.object.spec.force === true, message },
    event: { type: "Normal", reason: "OperationOpened", message: `${verb}: ${message}` },
    // The pass that follows at once does the work for it.
    recheckAfterMs: 0,
  };
}

function unchanged(scope: Scope, rules: Rules): Decision {
  return {
    status: scope.entity.object.status,
    operations: [],
    tasks: [],
    takeBack: [],
    remove: false,
    recheckAfterMs: findResyncMs(rules, scope.entity.kind),
    wakeAround: false,
  };
}

function decidePaused(scope: Scope, open: ScopeOperation | undefined, rules: Rules): Decision {
  const message = `${scope.pausedBy} is paused: nothing is begun until it is resumed`;
  const base = unchanged(scope, rules);
  const running = scope.tasks.some(({ state }) => state === "leased");
  const said = running ? `${message}; what runs goes on` : message;
  return {
    ...base,
    status: withConditions(
      scope,
      base.status,
      takeBackPlaceable(base.status),
      { status: "False", reason: "Paused", message },
      { message: said },
    ),
    operations: open === undefined ? [] : [{ operation: open, status: { ...open.object.status, message: said } }],
    takeBack: listUnbegun(scope, []),
  };
}

function decideCancelled(scope: Scope, operation: ScopeOperation, fingerprint: string, rules: Rules): Decision {
  const base = unchanged(scope, rules);
  const reason = operation.object.spec.cancelReason;
  const running = scope.tasks.find((task) => task.state === "leased" && task.operationUid === operation.uid);
  if (running !== undefined) {
    const change = { state: "RUNNING", message: `${reason}; waits for ${running.type} to stop` };
    return {
      ...base,
      operations: [{ operation, status: renderOperationStatus(operation.object.status, change, timeOf(scope)) }],
    };
  }
  const ended = { do: "stop", reason: "Cancelled", message: reason, code: reconcilerFaults.cancelled.code } as const;
  return {
    ...base,
    status: withConditions(
      scope,
      base.status,
      [...listUnfinished(base.status, reason), ...takeBackPlaceable(base.status)],
      { status: "False", reason: "Cancelled", message: reason },
      {
        phase: failurePhase(scope),
        message: `${reason}; retry the operation, change the entity, or delete it`,
      },
    ),
    operations: [endOperation(scope, operation, "CANCELLED", ended, fingerprint)],
    takeBack: listUnbegun(scope, []),
    event: { type: "Warning", reason: "Cancelled", message: reason },
    wakeAround: true,
  };
}

function endOperation(
  scope: Scope,
  operation: ScopeOperation,
  state: string,
  end: { readonly message: string; readonly code?: string },
  fingerprint: string,
): Decision["operations"][number] {
  const before = operation.object.status;
  const steps = endSteps(before["steps"], state, end.message, timeOf(scope));
  const change = { state, message: end.message, steps, ...(end.code === undefined ? {} : { code: end.code }) };
  return { operation, status: renderOperationStatus(before, change, timeOf(scope)), fingerprint };
}

/** Walks the phases until one does not let go on. */
function decideSteps(scope: Scope, plan: KindPlan, rules: Rules, operation: ScopeOperation, fingerprint: string): Decision {
  const { spec } = operation.object;
  const deleting = spec.verb === "delete";
  const phases = deleting ? plan.deletion : plan.creation;
  const work: Work = { operationUid: operation.uid, spec, fingerprint };
  const gate = findGate(scope, spec.verb);
  const walked = gate === undefined ? walk(scope, phases, work, rules) : [];
  const last: Step = gate ?? walked.at(-1)?.step ?? { do: "continue" };
  const wanted = walked.flatMap(({ step }) => ("task" in step && step.task !== undefined ? [step.task.uid] : []));
  const tasks: TaskWish[] =
    last.do === "run"
      ? [
          {
            type: last.type,
            lane: last.lane,
            operationUid: operation.uid,
            retries: spec.retries,
            fingerprint,
            after: last.after ?? null,
          },
        ]
      : [];
  const status = renderStatus(scope, plan, operation, phases, walked, last, fingerprint);
  const done = last.do === "continue";
  const phaseChanged = status["phase"] !== scope.entity.object.status["phase"];
  const nodePool = scope.entity.kind === "NodePool";
  return {
    status,
    operations: [renderOperation(scope, operation, phases, walked, last, fingerprint)],
    tasks,
    takeBack: listUnbegun(scope, wanted),
    remove: deleting && done,
    ...renderEvent(scope, operation, last, status),
    recheckAfterMs: (last.do === "wait" ? last.recheckAfterMs : undefined) ?? findResyncMs(rules, scope.entity.kind),
    // A node pool is carried by its cluster, which must hear of it; pools hear of their cluster's runs.
    wakeAround: phaseChanged || done || (nodePool && last.do === "wait") || scope.nodePools.length > 0,
  };
}

/** What runs already is changed inside a maintenance window only; what is new, and what is to go, does not wait. */
function findGate(scope: Scope, verb: string): Step | undefined {
  if (verb !== "update" && verb !== "repair") return undefined;
  const begun = scope.tasks.some((task) => task.operationUid === scope.operation?.uid && task.attempt > 0);
  // What was begun and never ran is new still.
  if (begun || !scope.begun || !hasRun(scope) || isMaintenance(scope.windows, scope.nowMs)) return undefined;
  const message = `waits for a maintenance window: ${describeWindows(scope.windows)}`;
  return { do: "wait", reason: "OutsideWindow", message, recheckAfterMs: 60_000 };
}

function walk(scope: Scope, phases: readonly Phase[], work: Work, rules: Rules): Walked[] {
  const walked: Walked[] = [];
  for (const phase of phases) {
    const step = phase.decide(scope, work, rules);
    walked.push({ phase, step });
    if (step.do !== "continue") break;
  }
  return walked;
}

/** Tasks that nobody has begun, but for those still wanted. */
function listUnbegun(scope: Scope, wanted: readonly string[]): string[] {
  return scope.tasks
    .filter(({ uid, state }) => (state === "ready" || state === "waiting") && !wanted.includes(uid))
    .map(({ uid }) => uid);
}

function renderOperation(
  scope: Scope,
  operation: ScopeOperation,
  phases: readonly Phase[],
  walked: readonly Walked[],
  last: Step,
  fingerprint: string,
): Decision["operations"][number] {
  const before = operation.object.status;
  const at = timeOf(scope);
  const steps = renderSteps(phases, walked, before["steps"], at);
  if (last.do === "continue") {
    const abandoned = walked.flatMap(({ step }) => (step.do === "continue" ? (step.abandoned ?? []) : []));
    const change = {
      state: "DONE",
      message: abandoned.length > 0 ? "done; some things were given up" : "done",
      progressPercent: 100,
      steps,
    };
    return {
      operation,
      status: renderOperationStatus(before, { ...change, abandoned: [...abandoned], left: [], code: "" }, at),
      fingerprint,
    };
  }
  const progressPercent = renderPercent(phases, walked);
  if (last.do === "stop") {
    const change = {
      state: "FAILED",
      message: last.message,
      code: last.code,
      left: [...(last.left ?? [])],
      progressPercent,
      steps,
    };
    return { operation, status: renderOperationStatus(before, change, at), fingerprint };
  }
  const begun = before.state === "RUNNING" || hasBegun(scope, operation, last);
  const message = last.do === "wait" ? last.message : `${last.type} is handed to an agent`;
  return {
    operation,
    status: renderOperationStatus(before, { state: begun ? "RUNNING" : "WAITING", message, progressPercent, steps }, at),
  };
}

/** Whether an agent has begun on an operation. */
function hasBegun(scope: Scope, operation: ScopeOperation, last: Step): boolean {
  if (last.do === "wait" && (last.task?.attempt ?? 0) > 0) return true;
  return scope.tasks.some((task) => task.operationUid === operation.uid && task.attempt > 0);
}

function renderStatus(
  scope: Scope,
  plan: KindPlan,
  operation: ScopeOperation,
  phases: readonly Phase[],
  walked: readonly Walked[],
  last: Step,
  fingerprint: string,
): JsonObject {
  const before = scope.entity.object.status;
  const { verb } = operation.object.spec;
  const conditions = walked.map(({ phase, step }) => renderCondition(phase, step));
  const placeable = renderPlaceable(before, last);
  const drifted = last.do === "continue" ? takeBackDrift(before) : [];
  const outputs = verb === "delete" ? undefined : findOutputs(scope);
  const typed = outputs === undefined ? {} : plan.readStatus(outputs);
  const generation = scope.entity.object.metadata.generation ?? 0;
  const done = last.do === "continue";
  const message = done ? "" : last.do === "run" ? `${last.type} is handed to an agent` : last.message;
  const ready: Omit<ConditionWish, "type"> = done
    ? { status: "True", reason: "AsAsked", message: "" }
    : { status: "False", reason: last.do === "run" ? "Queued" : last.reason, message };
  return withConditions(scope, { ...before, ...typed }, [...conditions, ...placeable, ...drifted], ready, {
    phase: renderPhase(scope, operation, last),
    observedGeneration: done && fingerprint !== "" ? generation : (before["observedGeneration"] ?? 0),
    message,
    progressPercent: done ? 100 : renderPercent(phases, walked),
  });
}

/** The phase users see. It stays what it was until an agent has begun. */
function renderPhase(scope: Scope, operation: ScopeOperation, last: Step): string {
  const { verb } = operation.object.spec;
  const before = scope.entity.object.status["phase"];
  if (last.do === "stop") return failurePhase(scope);
  if (verb === "delete") return "DELETING";
  if (last.do === "continue") return "RUNNING";
  if (!hasBegun(scope, operation, last)) return typeof before === "string" && before !== "FAILED" ? before : "PENDING";
  if (!hasRun(scope)) return "PROVISIONING";
  if (verb === "repair") return "REPAIRING";
  return isUpgrade(scope) ? "UPGRADING" : "UPDATING";
}

/** Whether what was asked for has ever been brought about: then something runs, though perhaps not as asked. */
function hasRun({ entity }: Scope): boolean {
  return Number(entity.object.status["observedGeneration"] ?? 0) > 0;
}

function isUpgrade({ entity }: Scope): boolean {
  const { spec, status } = entity.object;
  return (
    entity.kind === "Cluster" && Boolean(status["version"]) && Boolean(spec["version"]) && spec["version"] !== status["version"]
  );
}

function failurePhase(scope: Scope): string {
  return hasRun(scope) && scope.entity.object.metadata.deletedAt === undefined ? "DEGRADED" : "FAILED";
}

function renderCondition({ condition }: Phase, step: Step): ConditionWish {
  const gone = condition === "InfrastructureReady" && step.do === "continue" && step.abandoned !== undefined;
  if (step.do === "continue")
    return { type: condition, status: gone ? "False" : "True", reason: "Done", message: step.message ?? "" };
  if (step.do === "run")
    return { type: condition, status: "False", reason: "Queued", message: `${step.type} is handed to an agent` };
  return { type: condition, status: "False", reason: step.reason, message: step.message };
}

function renderEvent(scope: Scope, operation: ScopeOperation, last: Step, status: JsonObject): Pick<Decision, "event"> {
  const { verb } = operation.object.spec;
  if (last.do === "stop") return { event: { type: "Warning", reason: "Failed", message: `${verb} failed: ${last.message}` } };
  if (last.do === "continue") {
    const abandoned = verb === "delete" && last.abandoned !== undefined;
    if (abandoned) return { event: { type: "Warning", reason: "Abandoned", message: last.message ?? "" } };
    return { event: { type: "Normal", reason: verb === "delete" ? "Gone" : "Ready", message: `${verb} is done` } };
  }
  const phase = status["phase"];
  if (phase === scope.entity.object.status["phase"] || typeof phase !== "string") return {};
  const word = `${phase.charAt(0)}${phase.slice(1).toLowerCase()}`;
  return { event: { type: "Normal", reason: word, message: `${verb} has begun` } };
}

function withConditions(
  scope: Scope,
  base: JsonObject,
  wishes: readonly ConditionWish[],
  ready: Omit<ConditionWish, "type">,
  change: JsonObject,
): JsonObject {
  const generation = scope.entity.object.metadata.generation ?? 0;
  const all = [...wishes, { type: "Ready", ...ready }];
  return { ...base, ...change, conditions: setConditions(base["conditions"] ?? [], all, timeOf(scope), generation) };
}

function timeOf({ nowMs }: Scope): string {
  return new Date(nowMs).toISOString();
}
