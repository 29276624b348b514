import { isCollision, isViolation, type Database, type Pool } from "./pool.ts";

/**
 * Runs conditional writes in one transaction. Rolls back and returns undefined if they return undefined, violate a foreign key or collide
 * with another transaction. The caller may read again and retry.
 */
export async function tryTransaction<Result>(
  pool: Pool,
  work: (database: Database) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const stale = new Error("an entity changed in the meantime");
  try {
    return await pool.transaction(async (database) => {
      const result = await work(database);
      if (result === undefined) throw stale;
      return result;
    });
  } catch (error) {
    if (error === stale || isViolation(error, "23503") || isCollision(error)) return undefined;
    throw error;
  }
}
