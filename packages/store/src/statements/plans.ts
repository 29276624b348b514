import type { Database, Pool } from "../pool.ts";
import { tryTransaction } from "../try-transaction.ts";
import type { RunCredential } from "./state-credentials.ts";
import type { StateBytesRow } from "./states.ts";

/** A plan to store. The string fields `counts`, `changes` and `findings` are JSON. */
export interface PlanWrite {
  readonly uid: string;
  readonly serial: number;
  readonly lineage: string;
  readonly counts: string;
  readonly changes: string;
  readonly findings: string;
  readonly needsApproval: boolean;
  readonly ttlMs: number;
  readonly size: number;
  readonly sealed: Buffer;
  readonly content: Buffer;
}

/**
 * Selects the run if it holds its task's lease. If `lock` is set, the lease stays locked until the transaction ends: it cannot be revoked,
 * but heartbeats have to wait.
 */
const selectHeld = (lock: "" | "for share of l"): string => `
  select c.entity_uid, c.task_uid, t.object -> 'payload' ->> 'plan' as plan from state_credential c
  join task_line l on l.entity_uid = c.entity_uid and l.task_uid = c.task_uid and l.lease_token = c.lease_token
  join task t on t.uid = c.task_uid
  where c.hash = $1 and c.entity_uid = $2 and c.task_uid = $3 and l.leased_until > clock_timestamp()
  ${lock}
`;
const held = `held as (${selectHeld("for share of l")})`;
const confirm = selectHeld("for share of l");

const keep = `with held as (${selectHeld("")})
insert into plan (uid, entity_uid, serial, lineage, counts, changes, findings, needs_approval, expires_at, size, sealed, content)
select $4, held.entity_uid, $5, $6, $7::json, $8::json, $9::json, $10, clock_timestamp() + make_interval(secs => $11), $12, $13, $14
from held where held.task_uid = $4
on conflict (uid) do update set serial = excluded.serial, lineage = excluded.lineage, counts = excluded.counts, changes = excluded.changes,
  findings = excluded.findings, needs_approval = excluded.needs_approval, created_at = excluded.created_at, expires_at = excluded.expires_at,
  size = excluded.size, sealed = excluded.sealed, content = excluded.content, approved_by = null, approved_at = null, comment = ''
where plan.taken_at is null and plan.discarded_at is null
returning uid`;

/**
 * Stores the plan that the run's own task made, replacing any earlier version. Returns false if the run does not hold its lease, or the
 * plan was already taken or discarded. Writing a large plan takes a long time, so the lease is locked only afterwards, for the commit.
 * Heartbeats of the same task do not wait for the write.
 */
export async function keepPlan(pool: Pool, { hash, entityUid, taskUid }: RunCredential, plan: PlanWrite): Promise<boolean> {
  const values = [
    hash,
    entityUid,
    taskUid,
    plan.uid,
    plan.serial,
    plan.lineage,
    plan.counts,
    plan.changes,
    plan.findings,
    plan.needsApproval,
    plan.ttlMs / 1000,
    plan.size,
    plan.sealed,
    plan.content,
  ];
  const kept = await tryTransaction(pool, async (database) => {
    const { rows } = await database.query({ name: "keep-plan", text: keep, values });
    if (rows.length === 0) return undefined;
    const confirmed = await database.query({ name: "confirm-plan", text: confirm, values: [hash, entityUid, taskUid] });
    return confirmed.rows.length === 1 || undefined;
  });
  return kept ?? false;
}

const take = `with ${held}, open as (
  select p.uid, p.size, p.sealed, p.content from plan p
  where p.uid = $4 and p.entity_uid = $2 and p.content is not null and p.taken_at is null and p.discarded_at is null
    and (not p.needs_approval or p.approved_at is not null)
    and exists (select from held where held.plan = $4::text)
  for update
)
update plan p set taken_by = $3, taken_at = clock_timestamp(), sealed = null, content = null from open where p.uid = open.uid
returning open.uid, open.size, open.sealed, open.content`;

/** Hands out a plan to the run whose task names it. A plan can be taken only once. Returns undefined if it is not available. */
export async function takePlan(
  database: Database,
  { hash, entityUid, taskUid }: RunCredential,
  planUid: string,
): Promise<StateBytesRow | undefined> {
  const values = [hash, entityUid, taskUid, planUid];
  return (await database.query<StateBytesRow>({ name: "take-plan", text: take, values })).rows[0];
}

/** A run's task, and the state of a plan for the same entity. */
export interface PlanStanding {
  /** Type of the run's task. */
  readonly type: string;
  /** Uid of the plan that the run's task applies, or null. */
  readonly named: string | null;
  /** Destructive changes that the operation allows. */
  readonly allow: readonly string[] | null;
  /** Whether the plan still has its content and was neither taken nor discarded. */
  readonly isOpen: boolean;
  readonly isApproved: boolean | null;
}

const standing = `select d.type, t.object -> 'payload' ->> 'plan' as named, o.object -> 'spec' -> 'allow' as allow,
  p.content is not null and p.taken_at is null and p.discarded_at is null as "isOpen", not p.needs_approval or p.approved_at is not null as "isApproved"
from task t join task_demand d on d.id = t.demand left join entity o on o.uid = t.operation_uid and o.kind = 'Operation'
left join plan p on p.uid = $2 and p.entity_uid = t.entity_uid
where t.uid = $1`;

/** Returns a run's task, and the state of a plan for the same entity. Returns undefined if the task does not exist. */
export async function findPlanStanding(database: Database, taskUid: string, planUid: string): Promise<PlanStanding | undefined> {
  const statement = { name: "find-plan-standing", text: standing, values: [taskUid, planUid] };
  return (await database.query<PlanStanding>(statement)).rows[0];
}
