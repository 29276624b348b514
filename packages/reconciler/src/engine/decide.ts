import { getKind, type NewOperation } from "@cloudwright/contract";
import { reconcilerFaults } from "../faults.ts";
import { isAwaited } from "../steps/approval.ts";
import { endCorrected, isCorrectable, openKept } from "./decide-drift.ts";
import type { Decision, TaskWish } from "./decision.ts";
import { decideIdle, findResyncMs } from "./decide-idle.ts";
import { decidePreviews, isPreviewTask } from "./decide-previews.ts";
import { decideRepairs, isRepairTask } from "./decide-repairs.ts";
import { renderOperationStatus, type Walked } from "./operation-status.ts";
import { listUnfinished, takeBackApproval, takeBackPause, takeBackPlaceable } from "./passing-conditions.ts";
import type { Lifecycle, Step, Rules, StepResult, Work } from "./step.ts";
import { withCheck } from "./read-check.ts";
import { endOperation, renderEvent, renderGatesEvent, renderOperation } from "./render-operation.ts";
import { failurePhase, hasRun, renderStatus, timeOf, withConditions } from "./render-status.ts";
import type { Scope, ScopeOperation } from "./scope.ts";

/** Annotation that stores an operation's fingerprint. If the fingerprint is unchanged, the work is not repeated. */
export const fingerprintAnnotation = "cloudwright.dev/fingerprint";

/** Decides what to do with one entity. A pure function: the caller writes the returned decision. */
export function decide(scope: Scope, lifecycle: Lifecycle, rules: Rules, newUid: () => string): Decision {
  const decision = decideWork(scope, lifecycle, rules, newUid);
  const superseded = scope.olderOperations.map((operation) => closeSuperseded(scope, operation));
  const previews = decidePreviews(scope, lifecycle);
  const repairs = decideRepairs(scope, lifecycle);
  return {
    ...decision,
    operations: [...decision.operations, ...superseded, ...previews.operations, ...repairs.operations],
    tasks: [...decision.tasks, ...previews.tasks, ...repairs.tasks],
    takeBack: [...decision.takeBack, ...repairs.takeBack],
    ...(repairs.event === undefined ? {} : { event: repairs.event }),
    ...(repairs.forgotten === undefined ? {} : { forgotten: repairs.forgotten }),
    recheckAfterMs: Math.min(previews.recheckAfterMs, repairs.recheckAfterMs, decision.recheckAfterMs),
  };
}

function decideWork(scope: Scope, lifecycle: Lifecycle, rules: Rules, newUid: () => string): Decision {
  const deleting = scope.entity.object.metadata.deletedAt !== undefined;
  const fingerprint = deleting ? "deletion" : lifecycle.fingerprint(scope);
  const { operation } = scope;
  const open = operation !== undefined && isOpen(operation) ? operation : undefined;
  // A paused entity's operation can still be cancelled.
  if (open !== undefined && open.object.spec.cancelReason !== "") return decideCancelled(scope, open, fingerprint, rules);
  if (scope.pausedBy !== "") return decidePaused(scope, open, rules);
  if (scope.repairs.length > 0) return decideHeld(scope, open, rules);
  if (open !== undefined) return decideSteps(scope, lifecycle, rules, open, fingerprint, newUid);
  if (operation !== undefined && operation.object.metadata.annotations?.[fingerprintAnnotation] === fingerprint) {
    if (isOvertaken(scope, lifecycle, rules, operation))
      return openOperation(scope, rules, newUid(), deleting ? "delete" : "repair", lifecycle.follows);
    if (!deleting && isCorrectable(scope)) return openOperation(scope, rules, newUid(), "correct");
    if (!isFreed(scope, operation)) return decideIdle(scope, lifecycle, rules, newUid);
  }
  return openOperation(scope, rules, newUid(), deleting ? "delete" : operation === undefined ? "create" : "repair");
}

/** Returns whether one of the owner's runs has completed this operation's work after the operation failed. */
function isOvertaken(scope: Scope, lifecycle: Lifecycle, rules: Rules, { object }: ScopeOperation): boolean {
  if (lifecycle.follows === undefined || object.status.state === "DONE") return false;
  const deleting = scope.entity.object.metadata.deletedAt !== undefined;
  const work: Work = {
    operationUid: "",
    spec: { verb: deleting ? "delete" : "repair", force: false, retries: 0 },
    fingerprint: "",
  };
  return walk(scope, deleting ? lifecycle.deletion : lifecycle.creation, work, rules).every(
    ({ result: step }) => step.do === "continue",
  );
}

/** Returns whether a failed deletion can continue: it failed because referrers could not be deleted, and no such referrer remains. */
function isFreed(scope: Scope, { object }: ScopeOperation): boolean {
  return object.status["code"] === reconcilerFaults.children_failed.code && scope.referrers.failed.length === 0;
}

function isOpen({ object }: ScopeOperation): boolean {
  return object.status.state === "WAITING" || object.status.state === "RUNNING";
}

function closeSuperseded(scope: Scope, operation: ScopeOperation): Decision["operations"][number] {
  const by = scope.operation?.object.metadata.name ?? "another operation";
  const change = { state: "CANCELLED", message: `superseded by ${by}` };
  return { operation, status: renderOperationStatus(operation.object.status, change, timeOf(scope)) };
}

/** Opens an operation that no user requested, for example because a dependency has changed. */
function openOperation(scope: Scope, rules: Rules, uid: string, verb: NewOperation["verb"], why?: string): Decision {
  const reasons: Partial<Record<typeof verb, string>> = {
    repair: "a dependency of the entity has changed",
    correct: "the infrastructure was changed outside the platform",
    delete: "all dependent entities have been deleted",
  };
  const message = why ?? reasons[verb] ?? "not started yet";
  return {
    ...unchanged(scope, rules),
    opens: { uid, verb, force: verb === "delete" && scope.operation?.object.spec.force === true, message },
    event: { type: "Normal", reason: "OperationOpened", message: `${verb}: ${message}` },
    // The next pass runs immediately and starts the work.
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
  const message = `${scope.pausedBy} is paused; no work starts until it is resumed`;
  const base = unchanged(scope, rules);
  const running = scope.tasks.some(({ state }) => state === "leased");
  // A plan can be approved while the entity is paused.
  const awaited = open !== undefined && scope.plan !== undefined && isAwaited(scope.plan);
  const said = running ? `${message}; running tasks continue` : message;
  return {
    ...base,
    status: withConditions(
      scope,
      base.status,
      [...takeBackPlaceable(base.status), ...(awaited ? [] : takeBackApproval(base.status, "NothingToApprove"))],
      { status: "False", reason: "Paused", message },
      { message: said },
    ),
    operations: open === undefined ? [] : [{ operation: open, status: { ...open.object.status, message: said } }],
    takeBack: listUnbegun(scope, []),
  };
}

/** Does not start a run while a resource is being adopted or forgotten, because both change the state that the run would read. */
function decideHeld(scope: Scope, open: ScopeOperation | undefined, rules: Rules): Decision {
  const name = scope.repairs[0]?.object.metadata.name ?? "";
  const message = `waiting for operation ${name}, which is changing the state; \`cloud operation cancel ${name}\` stops it`;
  return {
    ...unchanged(scope, rules),
    operations: open === undefined ? [] : [{ operation: open, status: { ...open.object.status, message } }],
  };
}

function decideCancelled(scope: Scope, operation: ScopeOperation, fingerprint: string, rules: Rules): Decision {
  const base = unchanged(scope, rules);
  const reason = operation.object.spec.cancelReason;
  const running = scope.tasks.find((task) => task.state === "leased" && task.operationUid === operation.uid);
  if (running !== undefined) {
    const change = { state: "RUNNING", message: `${reason}; waiting for ${running.type} to stop` };
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
      [
        ...listUnfinished(base.status, reason),
        ...takeBackPlaceable(base.status),
        ...takeBackApproval(base.status, "Cancelled"),
        ...takeBackPause(base.status),
      ],
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

/** Evaluates an operation's steps until one of them waits, runs a task or stops the operation. */
function decideSteps(
  scope: Scope,
  lifecycle: Lifecycle,
  rules: Rules,
  operation: ScopeOperation,
  fingerprint: string,
  newUid: () => string,
): Decision {
  const { spec } = operation.object;
  const deleting = spec.verb === "delete";
  const sequence = deleting ? lifecycle.deletion : lifecycle.creation;
  const work: Work = { operationUid: operation.uid, spec, fingerprint };
  const walked = walk(scope, sequence, work, rules);
  const last: StepResult = walked.at(-1)?.result ?? { do: "continue" };
  const wanted = walked.flatMap(({ result: step }) => ("task" in step && step.task !== undefined ? [step.task.uid] : []));
  const tasks: TaskWish[] =
    last.do === "run"
      ? [
          {
            type: last.type,
            lane: last.lane,
            operationUid: operation.uid,
            retries: spec.retries,
            fingerprint: last.gates?.key ?? fingerprint,
            after: last.after ?? null,
            ...(last.gates === undefined ? {} : { gates: { stage: last.gates.stage, skip: last.gates.skip } }),
            ...(last.round === undefined ? {} : { round: last.round }),
            ...(last.plan === undefined ? {} : { plan: last.plan }),
          },
        ]
      : [];
  const status = renderStatus(scope, lifecycle, operation, sequence, walked, last, fingerprint);
  const done = last.do === "continue";
  const phaseChanged = status["phase"] !== scope.entity.object.status["phase"];
  const isPart = getKind(scope.entity.kind).builtByOwnerAs !== undefined;
  const drift = done && !deleting ? (endCorrected(scope) ?? openKept(scope, newUid)) : undefined;
  const decision: Decision = {
    status,
    operations: [renderOperation(scope, operation, sequence, walked, last, fingerprint)],
    tasks,
    takeBack: listUnbegun(scope, wanted),
    remove: deleting && done,
    ...(drift === undefined ? {} : { drift }),
    ...(renderGatesEvent(operation, walked) ?? renderEvent(scope, operation, last, status)),
    recheckAfterMs: Math.min(
      (last.do === "wait" ? last.recheckAfterMs : undefined) ?? Infinity,
      findResyncMs(rules, scope.entity.kind),
    ),
    // Owners must be woken when their parts change, and parts must be woken when their owner's runs make progress.
    wakeAround: phaseChanged || done || (isPart && last.do === "wait") || scope.parts.length > 0,
  };
  return lifecycle.checked && !deleting && (done || hasRun(scope))
    ? withCheck(scope, decision, newUid, lifecycle.readStatus)
    : decision;
}

function walk(scope: Scope, sequence: readonly Step[], work: Work, rules: Rules): Walked[] {
  const walked: Walked[] = [];
  for (const step of sequence) {
    const result = step.decide(scope, work, rules);
    walked.push({ step, result });
    if (result.do !== "continue") break;
  }
  return walked;
}

/** Returns the tasks that no agent has started and that are no longer needed. */
function listUnbegun(scope: Scope, wanted: readonly string[]): string[] {
  return scope.tasks
    .filter(
      (task) =>
        (task.state === "ready" || task.state === "waiting") &&
        !wanted.includes(task.uid) &&
        !isPreviewTask(task) &&
        !isRepairTask(task),
    )
    .map(({ uid }) => uid);
}
