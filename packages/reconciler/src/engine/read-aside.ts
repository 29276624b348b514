import { hasAction } from "@cloudwright/contract";
import { readPlansAndDrift, type AsideRow, type Database } from "@cloudwright/store";
import type { TaskOutcome } from "@cloudwright/tasks";
import { isPlanSpent } from "../steps/plan-run.ts";
import type { Ancestor, OwnerRun, Scope, ScopePlan, ScopeTask } from "./scope.ts";

type Row = AsideRow<TaskOutcome>;

/**
 * Adds data that only some passes need: the newest plan while an operation is open, the previous outcome of a retried task, the newest
 * drift report, and the forgotten resources during a deletion. Every writer of this data wakes the entity, so the next pass sees later
 * changes.
 */
export async function readAside(database: Database, scopes: readonly Scope[]): Promise<Scope[]> {
  const questions = scopes.map(findQuestion);
  const asked = questions.filter(({ isNeeded }) => isNeeded);
  if (asked.length === 0) return scopes.map((scope) => addAside(scope, undefined, undefined));
  const rows = await readPlansAndDrift<TaskOutcome>(
    database,
    asked.map(({ entityUid, own, cluster, broken, spentRun, isDeleted }) => ({
      entityUid,
      isDeleted,
      planUid: own?.uid ?? cluster?.uid ?? null,
      taskUid: broken?.uid ?? spentRun?.uid ?? null,
    })),
  );
  const found = new Map(rows.map((row) => [row.entityUid, row]));
  return scopes.map((scope, index) => addAside(scope, questions[index], found.get(scope.entity.uid)));
}

interface Question {
  readonly entityUid: string;
  readonly isNeeded: boolean;
  readonly isDeleted: boolean;
  readonly own: ScopeTask | undefined;
  readonly cluster: OwnerRun | undefined;
  readonly broken: ScopeTask | undefined;
  /** The owner's newest run that failed because its plan could no longer be applied. */
  readonly spentRun: OwnerRun | undefined;
}

function findQuestion(scope: Scope): Question {
  const { entity, tasks } = scope;
  const isOpen = scope.operation?.object.status.state === "WAITING" || scope.operation?.object.status.state === "RUNNING";
  const own = isOpen ? tasks.findLast(({ type, state }) => hasAction(type, "plan") && state === "done") : undefined;
  const cluster = findClusterPlan(scope);
  // Includes preflights, previews and drift checks, which do not belong to the entity's own operation.
  const retried = tasks.findLast(
    ({ delayedUntilMs, attempt, state }) =>
      (attempt > 0 && (delayedUntilMs ?? 0) > scope.nowMs) || (attempt > 1 && state === "leased"),
  );
  const failed = isOpen ? tasks.findLast(({ type, state }) => hasAction(type, "apply") && state === "failed") : undefined;
  const broken = isUndecided(tasks, failed) ? failed : (retried ?? failed);
  const spentRun = scope.above[0]?.runs.find((run) => isPlanSpent(run));
  const looked = tasks.some(({ type }) => hasAction(type, "findDrift"));
  const isDeleted = entity.object.metadata.deletedAt !== undefined;
  const isNeeded =
    own !== undefined || cluster !== undefined || broken !== undefined || spentRun !== undefined || looked || isDeleted;
  return { entityUid: entity.uid, isNeeded, isDeleted, own, cluster, broken, spentRun };
}

/** Returns whether the operation's next step depends on why an apply failed, because its plan was used and no newer plan was requested. */
function isUndecided(tasks: readonly ScopeTask[], apply: ScopeTask | undefined): boolean {
  if (apply === undefined || !isPlanSpent(apply)) return false;
  return tasks.findLastIndex(({ type }) => hasAction(type, "plan")) < tasks.indexOf(apply);
}

function addAside(scope: Scope, question: Question | undefined, row: Row | undefined): Scope {
  const { tasks } = scope;
  const formerOutcome = row?.formerOutcome ?? undefined;
  const spentRun = question?.broken === undefined ? question?.spentRun : undefined;
  return {
    ...scope,
    plan: question?.own === undefined ? undefined : (row?.plan ?? undefined),
    drift: row?.drift ?? undefined,
    forgotten: row?.forgotten ?? [],
    above: scope.above.map((ancestor) =>
      settlePlans(tellFailure(ancestor, spentRun, formerOutcome), row?.plan ?? undefined, scope.nowMs),
    ),
    tasks:
      formerOutcome === undefined ? tasks : tasks.map((task) => (task === question?.broken ? { ...task, formerOutcome } : task)),
  };
}

/** Returns the cluster's newest plan, which its node pools depend on. Returns undefined if a later run has applied that plan. */
function findClusterPlan({ above }: Scope): OwnerRun | undefined {
  const [newest, ...older] = above[0]?.runs ?? [];
  if (newest !== undefined && isMade(newest)) return newest;
  return newest !== undefined && isPlanSpent(newest) ? older.find(isMade) : undefined;
}

function isMade({ planned, state }: OwnerRun): boolean {
  return planned && state === "done";
}

function tellFailure(ancestor: Ancestor, spentRun: OwnerRun | undefined, formerOutcome: TaskOutcome | undefined): Ancestor {
  if (spentRun === undefined || formerOutcome === undefined) return ancestor;
  return { ...ancestor, runs: ancestor.runs.map((run) => (run === spentRun ? { ...run, formerOutcome } : run)) };
}

/** Marks the cluster's runs as failed if their plan was discarded or not approved in time. Node pools then stop waiting for these runs. */
function settlePlans(ancestor: Ancestor, plan: ScopePlan | undefined, nowMs: number): Ancestor {
  const dead = plan !== undefined && isLost(plan, nowMs) ? plan : undefined;
  const runs = ancestor.runs.flatMap((run, index): OwnerRun[] => {
    if (isMade(run)) return dead?.uid === run.uid ? [{ ...run, state: "failed", plan: dead }] : [];
    return dead !== undefined && index === 0 && isPlanSpent(run) ? [{ ...run, plan: dead }] : [run];
  });
  return { ...ancestor, runs };
}

function isLost({ discardedBy, needsApproval, approvedBy, takenBy, expiresAtMs }: ScopePlan, nowMs: number): boolean {
  return discardedBy !== null || (needsApproval && approvedBy === null && takenBy === null && expiresAtMs <= nowMs);
}
