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

/** An entity to be removed, by the version that was read. */
export interface RemovedEntity {
  readonly uid: string;
  readonly resource_version: string;
}

/**
 * Removes entities that are still as they were read, all or none; false when one of them changed meanwhile.
 * Rows must go by the version that was read: it keeps the change log's order the order of each entity's life.
 */
export async function removeEntities(pool: Pool, entities: readonly RemovedEntity[], trace: Trace): Promise<boolean> {
  const stale = new Error("an entity changed meanwhile");
  try {
    await pool.transaction(async (database) => {
      if (!(await removeEntitiesIn(database, entities, trace))) throw stale;
    });
    return true;
  } catch (error) {
    if (error === stale || isRemovalRefused(error)) return false;
    throw error;
  }
}

/**
 * Like removeEntities, inside the caller's transaction, which must be rolled back when this is false (some rows may be gone) or fails with
 * what `isRemovalRefused` knows.
 */
export async function removeEntitiesIn(database: Database, entities: readonly RemovedEntity[], trace: Trace): Promise<boolean> {
  const uids = entities.map((entity) => entity.uid);
  const versions = entities.map((entity) => entity.resource_version);
  await database.query({ name: "lock-entities", text: lock, values: [uids] });
  const values = [uids, versions, ...traceParameters(trace)];
  const { rows } = await database.query({ name: "remove-entities", text, values });
  return rows.length === entities.length;
}

/** Whether a removal failed because a child, or a member of the environment, was created between reading and removing. */
export function isRemovalRefused(error: unknown): boolean {
  return isViolation(error, "23503") || isCollision(error);
}
