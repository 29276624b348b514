import type { Database } from "../pool.ts";

/** Returns those of the given entities for which a task has ever been created. */
export async function listWorkedOn(database: Database, uids: readonly string[]): Promise<ReadonlySet<string>> {
  const text = `select u.uid from unnest($1::uuid[]) as u (uid) where exists (select from task t where t.entity_uid = u.uid)`;
  // This is not a prepared statement, because PostgreSQL would reuse a plan made for an empty task table and later scan the whole table.
  const { rows } = await database.query<{ uid: string }>({ text, values: [uids] });
  return new Set(rows.map((row) => row.uid));
}
