import type { Database } from "@cloudwright/store";

/**
 * Deletes tasks that ended long ago, with their attempts and logs. Returns the number of deleted tasks. Keeps up to three tasks per
 * existing entity and task type. The last task prevents equal inputs from running again. The last started task may have left resources
 * behind. The last successful task contains the current result.
 */
export async function pruneTasks(database: Database, olderThanSeconds: number, most = 1000): Promise<number> {
  const text = `with old as (
      select t.uid from task t join task_demand d on d.id = t.demand
      where t.ended_at < clock_timestamp() - make_interval(secs => $1) and (
        not exists (select from entity e where e.uid = t.entity_uid)
        or exists (
          select from task later join task_demand same on same.id = later.demand
          where later.entity_uid = t.entity_uid and later.position > t.position and same.type = d.type
            and case t.ended when 'done' then later.ended = 'done' else later.ended is not null and (later.attempt > 0 or t.attempt = 0) end))
      order by t.uid limit $2
    ), lines as (delete from task_log using old where task_uid = old.uid)
    , attempts as (delete from task_attempt using old where task_uid = old.uid)
    delete from task using old where task.uid = old.uid`;
  const { rowCount } = await database.query({ name: "prune-tasks", text, values: [olderThanSeconds, most] });
  return rowCount ?? 0;
}

/** Like `pruneTasks`, but deletes everything in batches. A single long transaction would delay all watchers. */
export async function pruneAllTasks(database: Database, olderThanSeconds: number, batch = 1000): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const pruned = await pruneTasks(database, olderThanSeconds, batch);
    forgotten += pruned;
    if (pruned < batch) return forgotten;
  }
}

/**
 * Deletes the log lines of tasks that ended longer ago than the retention period of their entity's kind. Returns the number of deleted
 * lines. The tasks themselves may be kept longer. `keepMs` maps each kind to its retention period. `*` applies to all other kinds, and
 * undefined keeps the logs forever.
 */
export async function pruneTaskLogs(
  database: Database,
  keepMs: Readonly<Record<string, number | undefined>>,
  batch = 200,
): Promise<number> {
  const kept = Object.fromEntries(Object.entries(keepMs).map(([kind, ms]) => [kind, ms ?? null]));
  const text = `with old as (
      select t.uid from task t
      where t.ended_at < clock_timestamp() - make_interval(secs =>
          ($1::jsonb ->> case when $1::jsonb ? (t.object ->> 'entityKind') then t.object ->> 'entityKind' else '*' end)::float8 / 1000)
        and exists (select from task_log l where l.task_uid = t.uid)
      limit $2
    ), lines as (delete from task_log using old where task_uid = old.uid returning 1)
    select (select count(*)::int from old) as tasks, (select count(*)::int from lines) as lines`;
  let pruned = 0;
  for (;;) {
    const { rows } = await database.query<{ tasks: number; lines: number }>({ text, values: [JSON.stringify(kept), batch] });
    pruned += rows[0]?.lines ?? 0;
    if ((rows[0]?.tasks ?? 0) < batch) return pruned;
  }
}
