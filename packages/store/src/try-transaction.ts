import { isCollision, isViolation, type Database, type Pool } from "./pool.ts";

/**
 * Runs writes that are conditional on what was read in one transaction. Undefined when they answer undefined, meet a row that somebody
 * else refers to, or collide with others: then nothing is written, and reading again may help.
 */
export async function tryTransaction<Result>(
  pool: Pool,
  work: (database: Database) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const stale = new Error("something changed meanwhile");
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
