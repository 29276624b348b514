import type { Database } from "../pool.ts";

/** Returns those of the entities for which a task was ever created. */
export async function listWorkedOn(database: Database, uids: readonly string[]): Promise<ReadonlySet<string>> {
  const text = `select u.uid from unnest($1::uuid[]) as u (uid) where exists (select from task t where t.entity_uid = u.uid)`;
  // Not a prepared statement: a plan made while there were no tasks would scan all of them later.
  const { rows } = await database.query<{ uid: string }>({ text, values: [uids] });
  return new Set(rows.map((row) => row.uid));
}
