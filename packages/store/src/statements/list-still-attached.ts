import type { Database } from "../pool.ts";

/**
 * Lists the names of the volumes that were attached to an instance when they were last built, but whose spec no longer names it. Volumes that
 * are being deleted are left out.
 */
export async function listStillAttached(database: Database, project: string, instance: string): Promise<string[]> {
  const text = `select name from entity where kind = 'Volume' and project = $1 and deleted_at is null
    and object -> 'status' ->> 'attachedTo' = $2 and coalesce(object -> 'spec' ->> 'instance', '') <> $2 order by name limit 10`;
  const { rows } = await database.query<{ name: string }>({ name: "list-still-attached", text, values: [project, instance] });
  return rows.map(({ name }) => name);
}
