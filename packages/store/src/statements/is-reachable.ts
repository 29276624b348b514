import type { Database } from "../pool.ts";

/** Returns whether the database responds to a statement. */
export async function isReachable(database: Database): Promise<boolean> {
  return database.query({ text: "select 1", values: [] }).then(
    () => true,
    () => false,
  );
}
