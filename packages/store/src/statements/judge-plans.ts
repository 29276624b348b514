import type { Database } from "../pool.ts";
import { traceParameters, traceSql, type Trace } from "../trace.ts";
import { wakeSql } from "../work.ts";

/** SQL condition: plan `p` was made for the current state. Always true for external backends, where Terraform itself compares the state. */
export const planIsCurrent = `exists (
  select from state s left join state_version v on v.entity_uid = s.entity_uid and v.version = s.version
  where s.entity_uid = p.entity_uid
    and (v.version is null or case when v.deleted then p.serial = 0 else v.serial = p.serial and v.lineage = p.lineage end))`;

/**
 * Renders an SQL sort order for previous attempts of a task that applies plan `p`. The attempt that took the plan comes first, because later
 * attempts cannot say why the plan was not applied. The other attempts follow, newest first.
 */
export const tellingAttempt = (attempt: string): string =>
  `coalesce(p.taken_by = ${attempt}.task_uid and p.taken_at between ${attempt}.started_at and ${attempt}.ended_at, false) desc, ${attempt}.attempt desc`;

const untouched = "p.uid = $1 and p.discarded_at is null and p.taken_at is null";
const approval = `update plan p set approved_by = $2, approved_at = clock_timestamp(), comment = $3
  where ${untouched} and p.needs_approval and p.approved_at is null and p.expires_at > clock_timestamp() and ${planIsCurrent}
    and exists (select from task t where t.uid = p.uid and t.ended = 'done')
  returning p.entity_uid`;
const discard = `update plan p set discarded_by = $2, discarded_at = clock_timestamp(), comment = $3, sealed = null, content = null
  where ${untouched} returning p.entity_uid`;

const statements = { approve: toStatement(approval), discard: toStatement(discard) };

function toStatement(write: string): string {
  const woken = wakeSql(
    "select w.entity_uid, now(), coalesce((select e.project from entity e where e.uid = w.entity_uid), '?') from written w",
  );
  return `with written as (${write}), ${traceSql("written", 4)}, woken as (${woken}) select entity_uid from written`;
}

/** A user's approval or rejection of a plan. */
export interface PlanVerdict {
  readonly verb: keyof typeof statements;
  readonly uid: string;
  readonly actor: string;
  readonly comment: string;
}

/** Approves or discards a plan that is not yet being applied, and wakes its entity. Returns false if the plan is no longer open. */
export async function judgePlan(database: Database, { verb, uid, actor, comment }: PlanVerdict, trace: Trace): Promise<boolean> {
  const values = [uid, actor, comment, ...traceParameters(trace)];
  return (await database.query({ name: `${verb}-plan`, text: statements[verb], values })).rows.length === 1;
}
