import type { Database } from "../pool.ts";

/** Returns whether any user has the owner role for the whole platform. */
export async function hasPlatformOwner(database: Database): Promise<boolean> {
  const text = `select exists (select from entity where kind = 'RoleBinding' and project = 'system' and environment = ''
    and object #>> '{spec,role}' = 'owner') as owned`;
  return (await database.query<{ owned: boolean }>({ text, values: [] })).rows[0]?.owned === true;
}
