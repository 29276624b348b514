import type { Database } from "../pool.ts";

/**
 * Returns whether these entities have children that are neither among them nor being deleted. While their rows are locked or marked as
 * deleted, no child can be added.
 */
export async function hasOtherChildren(database: Database, uids: readonly string[]): Promise<boolean> {
  const text = "select from entity where parent_uid = any($1::uuid[]) and uid <> all($1::uuid[]) and deleted_at is null limit 1";
  const { rows } = await database.query({ name: "has-other-children", text, values: [uids] });
  return rows.length > 0;
}
