import type { FaultPlatform } from "./platform.ts";

/** Installs triggers that record each time a task is leased or ends. Task rows are overwritten, so they do not keep this history. */
export async function installAudit(platform: FaultPlatform): Promise<void> {
  await platform.query(`
    create table if not exists fault_audit (what text not null, task_uid uuid, token uuid, at timestamptz not null default clock_timestamp());
    create or replace function fault_audit_task() returns trigger language plpgsql as $$
    begin
      if new.ended is not null then insert into fault_audit (what, task_uid) values (case when old.ended is null then 'ended' else 'ended again' end, new.uid); end if;
      return null;
    end $$;
    create or replace function fault_audit_line() returns trigger language plpgsql as $$
    begin
      if new.lease_token is not null and new.lease_token is distinct from old.lease_token then
        insert into fault_audit (what, task_uid, token) values (case when old.lease_token is null then 'leased' else 'leased over another' end, new.task_uid, new.lease_token);
      end if;
      return null;
    end $$;
    create or replace trigger fault_audit after update on task for each row execute function fault_audit_task();
    create or replace trigger fault_audit after update on task_line for each row execute function fault_audit_line();
  `);
}

/** Each query finds rows that must not exist once everything has settled. */
const checks: Readonly<Record<string, string>> = {
  "an operation has not ended": `select name from entity where kind = 'Operation' and object -> 'status' ->> 'state' in ('WAITING', 'RUNNING')`,
  "an entity has two open operations": `select object -> 'spec' ->> 'entityUid' as name from entity where kind = 'Operation'
    and object -> 'status' ->> 'state' in ('WAITING', 'RUNNING') group by 1 having count(*) > 1`,
  "a task has not ended": `select uid as name from task where ended is null`,
  "a task of a deleted entity has not ended": `select uid as name from task t where ended is null and not exists (select from entity e where e.uid = t.entity_uid)`,
  "a lease remains": `select task_uid as name from task_line where lease_token is not null`,
  "a task queue remains": `select entity_uid as name from task_line`,
  "a task ended twice": `select task_uid as name from fault_audit where what = 'ended again' union all
    select task_uid from fault_audit where what = 'ended' group by task_uid having count(*) > 1`,
  "a task was leased twice at once": `select task_uid as name from fault_audit where what = 'leased over another'`,
  "a task ended without a recorded end": `select uid as name from task t where ended is not null and not exists (select from fault_audit a where a.task_uid = t.uid and a.what = 'ended')`,
  "a stale outcome was kept": `select uid as name from task where outcome -> 'result' ->> 'stale' = 'true'`,
  "a task's attempts do not add up": `select t.uid as name from task t left join (select task_uid, count(*) as count, max(attempt) as last from task_attempt group by task_uid) a on a.task_uid = t.uid
    where t.ended is not null and not (coalesce(a.count, 0) = coalesce(a.last, 0)
      and (coalesce(a.count, 0) = t.attempt - 1 or t.ended = 'cancelled' and coalesce(a.count, 0) = t.attempt))`,
  "a task started before an earlier task of its entity had ended": `select t.uid as name from task t join task earlier on earlier.entity_uid = t.entity_uid
    and earlier.position < t.position where t.started_at < earlier.ended_at and earlier.started_at is not null`,
  "an operation failed although nothing was cancelled": `select o.name from entity o where o.kind = 'Operation' and o.object -> 'status' ->> 'state' = 'FAILED'
    and not exists (select from entity c where c.kind = 'Operation' and c.project = o.project and c.object -> 'status' ->> 'state' = 'CANCELLED')`,
  "an entity is not scheduled for reconciliation": `select e.name from entity e where kind in ('Account', 'Network', 'Cluster', 'NodePool', 'Storage') and not exists (select from due d where d.entity_uid = e.uid)`,
  // A deleted entity may stay in the schedule until it is due, so only overdue rows are violations.
  "a deleted entity is still scheduled for reconciliation": `select entity_uid::text as name from due d where due_at < now() - interval '10 seconds'
    and not exists (select from entity e where e.uid = d.entity_uid)`,
  "an entity's parent does not exist": `select e.name from entity e where kind in ('Network', 'Cluster', 'NodePool', 'Storage') and not exists (select from entity p where p.uid = e.parent_uid)`,
};

/** Returns the violations found in the database. */
export async function checkDatabase(platform: FaultPlatform): Promise<string[]> {
  const broken: string[] = [];
  for (const [what, text] of Object.entries(checks)) {
    const rows = await platform.query<{ name: string }>(text);
    if (rows.length > 0)
      broken.push(
        `${what} (${rows.length}): ${rows
          .slice(0, 3)
          .map(({ name }) => name)
          .join(", ")}`,
      );
  }
  return broken;
}

export async function countWork(
  platform: FaultPlatform,
): Promise<Record<"operations" | "tasks" | "leases" | "failedAttempts" | "expiredLeases", number>> {
  const [row] = await platform.query<Record<string, string>>(`select
    (select count(*) from entity where kind = 'Operation') as operations,
    (select count(*) from task) as tasks,
    (select count(*) from fault_audit where what = 'leased') as leases,
    (select count(*) from task_attempt) as attempts,
    (select count(*) from task_attempt where outcome -> 'fault' ->> 'code' = 'tasks.lease_expired') as expired`);
  const count = (name: string): number => Number(row?.[name] ?? 0);
  return {
    operations: count("operations"),
    tasks: count("tasks"),
    leases: count("leases"),
    failedAttempts: count("attempts"),
    expiredLeases: count("expired"),
  };
}

/** Returns the position of each task in its entity's queue. */
export async function readPositions(platform: FaultPlatform): Promise<ReadonlyMap<string, number>> {
  const rows = await platform.query<{ uid: string; position: string }>("select uid, position from task");
  return new Map(rows.map(({ uid, position }) => [uid, Number(position)]));
}
