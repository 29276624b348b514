import type { Database } from "../pool.ts";

/** Which of these entities tasks were ever made for. */
export async function listWorkedOn(database: Database, uids: readonly string[]): Promise<ReadonlySet<string>> {
  const text = `select u.uid from unnest($1::uuid[]) as u (uid) where exists (select from task t where t.entity_uid = u.uid)`;
  // Planned each time: a plan made while there were no tasks would read all of them later.
  const { rows } = await database.query<{ uid: string }>({ text, values: [uids] });
  return new Set(rows.map((row) => row.uid));
}
