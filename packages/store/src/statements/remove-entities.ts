import { isCollision, isViolation, type Database, type Pool } from "../pool.ts";
import { traceParameters, traceSql, type Trace } from "../trace.ts";

// In one order, so that two removals wait for each other instead of for ever.
const lock = "select uid from entity where uid = any($1::uuid[]) order by uid for update";
const text = `with written as (
  delete from entity using unnest($1::uuid[], $2::bigint[]) as expected (uid, version)
  where entity.uid = expected.uid and entity.resource_version = expected.version
  returning entity.uid
), ${traceSql("written", 3)}
select uid from written`;

/**
 * Removes entities that are still as they were read, all or none; false when one of them changed meanwhile.
 * Rows must go by the version that was read: it keeps the change log's order the order of each entity's life.
 */
export async function removeEntities(
  pool: Pool,
  entities: readonly { readonly uid: string; readonly resource_version: string }[],
  trace: Trace,
): Promise<boolean> {
  const values = [
    entities.map((entity) => entity.uid),
    entities.map((entity) => entity.resource_version),
    ...traceParameters(trace),
  ];
  const stale = new Error("an entity changed meanwhile");
  try {
    await pool.transaction(async (database: Database) => {
      await database.query({ name: "lock-entities", text: lock, values: [values[0]] });
      const { rows } = await database.query({ name: "remove-entities", text, values });
      if (rows.length !== entities.length) throw stale;
    });
    return true;
  } catch (error) {
    if (error === stale) return false;
    // A child, or a member of the environment, was created between reading and removing.
    if (isViolation(error, "23503") || isCollision(error)) return false;
    throw error;
  }
}
