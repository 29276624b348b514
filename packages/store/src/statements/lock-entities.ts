import type { Database } from "../pool.ts";

// In one order, so that two who lock the same entities wait for each other instead of for ever.
const text = "select uid from entity where uid = any($1::uuid[]) order by uid for update";

/** Keeps others from changing entities until the transaction ends. */
export async function lockEntities(database: Database, uids: readonly string[]): Promise<void> {
  await database.query({ name: "lock-entities", text, values: [uids] });
}
