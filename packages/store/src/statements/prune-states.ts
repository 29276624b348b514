import type { Pool } from "../pool.ts";

/** Cutoff times, keyed by kind of entity. The `*` key applies to all other kinds. Null keeps the records of a kind forever. */
export type CutoffByKind = Readonly<Record<string, string | null>>;

/** The newest versions of a state are kept regardless of their age, so that a rollback is always possible. */
const keptVersions = 10;
const batch = 500;

/** SQL for the cutoff of a row's kind. It is null if the rows of this kind are kept forever. */
function cutoffSql(parameter: number, kind: string): string {
  const json = `$${parameter}::jsonb`;
  return `(${json} ->> case when ${json} ? ${kind} then ${kind} else '*' end)::timestamptz`;
}

/** Deletes state versions that are older than the cutoff for their kind, except the newest versions of each state. */
export async function pruneStateVersions(pool: Pool, before: CutoffByKind): Promise<number> {
  const text = `delete from state_version where uid in (
    select v.uid from state_version v join state s on s.entity_uid = v.entity_uid
    where v.version <= s.version - ${keptVersions} and v.created_at < ${cutoffSql(1, "s.kind")} limit ${batch})`;
  return pruneAll(pool, text, [JSON.stringify(before)]);
}

/**
 * Deletes the states of entities that were deleted before the cutoff of their kind, with all versions and plans. A state stays while a
 * task of its entity is open.
 */
export async function pruneDeletedStates(pool: Pool, before: CutoffByKind, now: string): Promise<number> {
  const mark = `update state set orphaned_at = $1 where entity_uid in (
    select s.entity_uid from state s where s.orphaned_at is null and not exists (select from entity e where e.uid = s.entity_uid) limit ${batch})`;
  await pruneAll(pool, mark, [now]);
  const text = `delete from state where entity_uid in (
    select s.entity_uid from state s where s.orphaned_at < ${cutoffSql(1, "s.kind")}
      and not exists (select from task_line l where l.entity_uid = s.entity_uid) limit ${batch})`;
  return pruneAll(pool, text, [JSON.stringify(before)]);
}

/** Repeats a statement until it affects fewer rows than a full batch. One long transaction would delay every watcher. */
async function pruneAll(pool: Pool, text: string, values: unknown[]): Promise<number> {
  let pruned = 0;
  for (;;) {
    const { rowCount } = await pool.query({ text, values });
    pruned += rowCount ?? 0;
    if ((rowCount ?? 0) < batch) return pruned;
  }
}
