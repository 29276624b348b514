import type { Pool } from "../pool.ts";
import { pruneDeletedStates, pruneStateVersions, type CutoffByKind } from "./prune-states.ts";

const batch = 5_000;

/** Records older than these times are deleted. */
export interface PruneLimits {
  readonly changes: string;
  readonly idempotency: string;
  /** If undefined, events are kept forever. */
  readonly events?: string | undefined;
  readonly audit?: string | undefined;
  /** Applies to ended operations, except the newest of each entity, and to drift reports. If undefined, they are kept forever. */
  readonly operations?: string | undefined;
  readonly stateVersions?: CutoffByKind;
  readonly deletedStates?: CutoffByKind;
  readonly now: string;
}

/**
 * Deletes old changes, events, audit records, operations, plans and state versions, and expired sessions, tokens and idempotency keys.
 * Moves the horizon of the change log past the deleted changes. Uses small transactions, because a long one would delay every watcher.
 */
export async function prune(pool: Pool, before: PruneLimits): Promise<{ changes: number }> {
  await pool.query({ text: "delete from session where expires_at < $1", values: [before.now] });
  await pool.query({ text: "delete from used_token where expires_at < $1", values: [before.now] });
  await pool.query({ text: "delete from join_token where expires_at < $1", values: [before.now] });
  await pruneClusterTokens(pool, before.now);
  await pool.query({ text: "delete from idempotency where created_at < $1", values: [before.idempotency] });
  await pool.query({
    text: "delete from simulated_request where at < $1::timestamptz - interval '1 hour'",
    values: [before.now],
  });
  await pool.query({
    text: "delete from simulated_change where at < $1::timestamptz - interval '90 days'",
    values: [before.now],
  });
  if (before.events !== undefined) await pruneRecords(pool, "event", before.events);
  if (before.audit !== undefined) await pruneRecords(pool, "audit", before.audit);
  if (before.operations !== undefined) await pruneOperations(pool, before.operations);
  if (before.operations !== undefined) await pruneDrifts(pool, before.operations);
  await prunePlans(pool, before.now);
  if (before.stateVersions !== undefined) await pruneStateVersions(pool, before.stateVersions);
  if (before.deletedStates !== undefined) await pruneDeletedStates(pool, before.deletedStates, before.now);
  // Deletes only changes that precede the oldest running transaction. A running transaction may still add changes that precede those of
  // newer transactions.
  const text = `with old as (
      select xid, seq from change where at < $1 and xid < pg_snapshot_xmin(pg_current_snapshot()) order by xid, seq limit ${batch}
    ), gone as (
      delete from change using old where change.xid = old.xid and change.seq = old.seq returning change.xid, change.seq
    ), last as (select xid, seq from gone order by xid desc, seq desc limit 1)
    , moved as (update change_horizon h set xid = last.xid, seq = last.seq from last where (last.xid, last.seq) > (h.xid, h.seq))
    select count(*)::int as changes from gone`;
  let changes = 0;
  for (;;) {
    const { rows } = await pool.query<{ changes: number }>({ text, values: [before.changes] });
    const pruned = rows[0]?.changes ?? 0;
    changes += pruned;
    if (pruned < batch) return { changes };
  }
}

async function pruneRecords(pool: Pool, table: "event" | "audit", before: string): Promise<void> {
  const text = `delete from ${table} where uid in (select uid from ${table} where at < $1 limit ${batch})`;
  while (((await pool.query({ text, values: [before] })).rowCount ?? 0) === batch);
}

async function pruneDrifts(pool: Pool, before: string): Promise<void> {
  const text = `delete from drift where uid in (select uid from drift where ended_at < $1 limit ${batch})`;
  while (((await pool.query({ text, values: [before] })).rowCount ?? 0) === batch);
}

/**
 * Deletes plans whose task was deleted. Deletes a plan's content as soon as the plan can no longer be applied: it has expired, a newer plan
 * exists, or its operation has ended.
 */
async function prunePlans(pool: Pool, now: string): Promise<void> {
  const gone = `delete from plan where uid in (select p.uid from plan p
    where p.created_at < $1::timestamptz - interval '1 hour' and not exists (select from task t where t.uid = p.uid) limit ${batch})`;
  while (((await pool.query({ text: gone, values: [now] })).rowCount ?? 0) === batch);
  const over = `update plan set sealed = null, content = null where uid in (
    select p.uid from plan p join task t on t.uid = p.uid left join entity o on o.uid = t.operation_uid and o.kind = 'Operation'
    where p.content is not null and p.created_at < $1::timestamptz - interval '1 hour' and (
      p.needs_approval and p.approved_at is null and p.expires_at < $1
      or exists (select from plan later where later.entity_uid = p.entity_uid and later.created_at > p.created_at)
      or t.operation_uid is not null and coalesce(o.object -> 'status' ->> 'state', '') not in ('WAITING', 'RUNNING'))
    limit ${batch})`;
  while (((await pool.query({ text: over, values: [now] })).rowCount ?? 0) === batch);
}

/**
 * Deletes expired tokens. A token request that has not been fulfilled is kept for a day, in case a suitable agent appears. After that, its
 * task is cancelled.
 */
async function pruneClusterTokens(pool: Pool, now: string): Promise<void> {
  const text =
    "delete from cluster_token where expires_at < $1 or expires_at is null and asked_at < $1::timestamptz - interval '1 day'";
  await pool.query({ text, values: [now] });
  const cancel = `select cancel_tasks('{}', '{}', array(
    select l.task_uid from task_line l join task_demand d on d.id = l.demand
    where d.type = 'cluster.token' and not exists (select from cluster_token c where c.uid = l.entity_uid)), $1, true)`;
  await pool.query({ text: cancel, values: ["this token is no longer needed"] });
}

/** Adds nothing to the change log, because watchers are only interested in operations that have not ended. */
async function pruneOperations(pool: Pool, before: string): Promise<void> {
  const text = `delete from entity where uid in (
    select o.uid from entity o where o.kind = 'Operation' and o.updated_at < $1 and o.object -> 'status' ->> 'state' in ('DONE', 'FAILED', 'CANCELLED')
      and not exists (select from entity e where e.uid = o.about_uid and e.object -> 'metadata' ->> 'operation' = o.name)
    limit ${batch})`;
  while (((await pool.query({ text, values: [before] })).rowCount ?? 0) === batch);
}
