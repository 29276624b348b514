import type { Database } from "../pool.ts";

/**
 * Returns whether any of these entities has a child that is neither among them nor being deleted. No child can be added while the rows of
 * the entities are locked or marked as deleted.
 */
export async function hasOtherChildren(database: Database, uids: readonly string[]): Promise<boolean> {
  const text = "select from entity where parent_uid = any($1::uuid[]) and uid <> all($1::uuid[]) and deleted_at is null limit 1";
  const { rows } = await database.query({ name: "has-other-children", text, values: [uids] });
  return rows.length > 0;
}
