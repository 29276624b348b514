import type { Database } from "../pool.ts";

/**
 * Returns the uid of the entity that imported a cluster of an account, or undefined if none did. Ids are compared case-insensitively,
 * because not all clouds preserve case.
 */
export async function findImporter(database: Database, accountUid: string, cloudId: string): Promise<string | undefined> {
  const text = 'select entity_uid as "entityUid" from existing_cluster where account_uid = $1 and lower(cloud_id) = lower($2)';
  return (await database.query<{ entityUid: string }>({ text, values: [accountUid, cloudId] })).rows[0]?.entityUid;
}
