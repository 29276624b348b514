import type { Database } from "../pool.ts";

// Locks rows in a fixed order, so that two transactions that lock the same entities cannot deadlock.
const text = "select uid from entity where uid = any($1::uuid[]) order by uid for update";

/** Prevents other transactions from changing the entities until this transaction ends. */
export async function lockEntities(database: Database, uids: readonly string[]): Promise<void> {
  await database.query({ name: "lock-entities", text, values: [uids] });
}
