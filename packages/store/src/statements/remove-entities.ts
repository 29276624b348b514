import { Fault } from "@cloudwright/platform";
import { storeFaults } from "../faults.ts";
import { isViolation, type Database, type Pool } from "../pool.ts";
import { traceParameters, traceSql, type Trace } from "../trace.ts";

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
      const { rows } = await database.query({ name: "remove-entities", text, values });
      if (rows.length !== entities.length) throw stale;
    });
    return true;
  } catch (error) {
    if (error === stale) return false;
    if (isViolation(error, "23503", "entity_environment_uid_fkey")) {
      throw new Fault(storeFaults.in_use, "entities still belong to the environment", { cause: error });
    }
    // A child was created between reading the tree and removing it.
    if (isViolation(error, "23503")) return false;
    throw error;
  }
}
