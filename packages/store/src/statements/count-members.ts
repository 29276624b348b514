import type { Database } from "../pool.ts";

/** Counts the entities in each of the environments, by kind and phase. */
export async function countMembers(
  database: Database,
  environmentUids: readonly string[],
): Promise<{ environment_uid: string; kind: string; phase: string; count: number }[]> {
  const text = `select environment_uid, kind, coalesce(object #>> '{status,phase}', '') as phase, count(*)::int as count
    from entity where environment_uid = any($1::uuid[]) group by 1, 2, 3 order by 1, 2, 3`;
  return (
    await database.query<{ environment_uid: string; kind: string; phase: string; count: number }>({
      name: "count-members",
      text,
      values: [environmentUids],
    })
  ).rows;
}
