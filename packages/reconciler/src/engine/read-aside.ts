import { hasAction } from "@cloudwright/contract";
import { planIsCurrent, type Database } from "@cloudwright/store";
import type { TaskOutcome } from "@cloudwright/tasks";
import { isPlanSpent } from "../steps/plan-run.ts";
import type { Ancestor, OwnerRun, Scope, ScopeDrift, ScopePlan, ScopeTask } from "./scope.ts";

/** A time as a number, in SQL. */
export const epochMs = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

const text = `select g.entity as "entityUid", (
    select json_build_object('uid', p.uid, 'needsApproval', p.needs_approval, 'counts', p.counts, 'findings', p.findings,
      'expiresAtMs', ${epochMs("p.expires_at")}, 'approvedBy', p.approved_by, 'discardedBy', p.discarded_by, 'takenBy', p.taken_by,
      'isCurrent', ${planIsCurrent})
    from plan p where p.uid = g.plan) as plan,
  (select a.outcome from task_attempt a where a.task_uid = g.broken order by a.attempt desc limit 1) as "formerOutcome",
  (select json_build_object('uid', r.uid, 'foundAtMs', ${epochMs("r.found_at")}, 'endedAtMs', ${epochMs("r.ended_at")}, 'items', r.items, 'ignored', r.ignored)
    from drift r where r.entity_uid = g.entity order by r.found_at desc limit 1) as drift
from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as g (entity, plan, broken)`;

interface Row {
  readonly entityUid: string;
  readonly plan: ScopePlan | null;
  readonly formerOutcome: TaskOutcome | null;
  readonly drift: ScopeDrift | null;
}

/**
 * Adds what only some passes need: while an operation is open, its newest plan and the attempt that had it; the newest drift report, if
 * drift was ever looked for. Whoever writes these wakes the entity, so the next pass sees a later change.
 */
export async function readAside(database: Database, scopes: readonly Scope[]): Promise<Scope[]> {
  const questions = scopes.map(findQuestion);
  const asked = questions.filter(({ isNeeded }) => isNeeded);
  if (asked.length === 0) return scopes.map((scope) => addAside(scope, undefined, undefined));
  const values = [
    asked.map(({ entityUid }) => entityUid),
    asked.map(({ own, cluster }) => own?.uid ?? cluster?.uid ?? null),
    asked.map(({ broken }) => broken?.uid ?? null),
  ];
  const { rows } = await database.query<Row>({ name: "read-scopes-aside", text, values });
  const found = new Map(rows.map((row) => [row.entityUid, row]));
  return scopes.map((scope, index) => addAside(scope, questions[index], found.get(scope.entity.uid)));
}

interface Question {
  readonly entityUid: string;
  readonly isNeeded: boolean;
  readonly own: ScopeTask | undefined;
  readonly cluster: OwnerRun | undefined;
  readonly broken: ScopeTask | undefined;
}

function findQuestion(scope: Scope): Question {
  const { entity, tasks } = scope;
  const isOpen = scope.operation?.object.status.state === "WAITING" || scope.operation?.object.status.state === "RUNNING";
  const own = isOpen ? tasks.findLast(({ type, state }) => hasAction(type, "plan") && state === "done") : undefined;
  const cluster = findClusterPlan(scope);
  const delayed = tasks.findLast(({ delayedUntilMs, attempt }) => attempt > 0 && (delayedUntilMs ?? 0) > scope.nowMs);
  const broken = isOpen
    ? (delayed ?? tasks.findLast(({ type, state }) => hasAction(type, "apply") && state === "failed"))
    : undefined;
  const looked = tasks.some(({ type }) => hasAction(type, "findDrift"));
  const isNeeded = own !== undefined || cluster !== undefined || broken !== undefined || looked;
  return { entityUid: entity.uid, isNeeded, own, cluster, broken };
}

function addAside(scope: Scope, question: Question | undefined, row: Row | undefined): Scope {
  const { tasks } = scope;
  const formerOutcome = row?.formerOutcome ?? undefined;
  return {
    ...scope,
    plan: question?.own === undefined ? undefined : (row?.plan ?? undefined),
    drift: row?.drift ?? undefined,
    above: scope.above.map((ancestor) => settlePlans(ancestor, row?.plan ?? undefined, scope.nowMs)),
    tasks:
      formerOutcome === undefined ? tasks : tasks.map((task) => (task === question?.broken ? { ...task, formerOutcome } : task)),
  };
}

/** The plan of its cluster that a node pool has to know about: one that nothing came after but, perhaps, a run that could not have it. */
function findClusterPlan({ above }: Scope): OwnerRun | undefined {
  const [newest, ...older] = above[0]?.runs ?? [];
  if (newest !== undefined && isMade(newest)) return newest;
  return newest !== undefined && isPlanSpent(newest) ? older.find(isMade) : undefined;
}

function isMade({ planned, state }: OwnerRun): boolean {
  return planned && state === "done";
}

/** A plan that was made counts for node pools when it keeps the run from beginning: discarded, or not approved in time. */
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
