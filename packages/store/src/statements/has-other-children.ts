import type { Database } from "../pool.ts";

/**
 * Whether something lies below these entities that is not one of them and is not to be deleted already. With their rows locked or marked as to be
 * deleted, nothing new can come.
 */
export async function hasOtherChildren(database: Database, uids: readonly string[]): Promise<boolean> {
  const text = "select from entity where parent_uid = any($1::uuid[]) and uid <> all($1::uuid[]) and deleted_at is null limit 1";
  const { rows } = await database.query({ name: "has-other-children", text, values: [uids] });
  return rows.length > 0;
}
