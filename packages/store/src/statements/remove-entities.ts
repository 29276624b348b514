import type { Database, Pool } from "../pool.ts";
import { traceParameters, traceSql, type Trace } from "../trace.ts";
import { tryTransaction } from "../try-transaction.ts";
import { deleteLinksBetween } from "./links.ts";
import { lockEntities } from "./lock-entities.ts";

const text = `with written as (
  delete from entity using unnest($1::uuid[], $2::bigint[]) as expected (uid, version)
  where entity.uid = expected.uid and entity.resource_version = expected.version
  returning entity.uid
), ${traceSql("written", 3)}
select uid from written`;

/** An entity to remove, with the version that the caller read. */
export interface RemovedEntity {
  readonly uid: string;
  readonly resource_version: string;
}

/**
 * Removes either all of the entities or none. Returns false if one of them has changed since it was read. The version check also keeps each
 * entity's changes in order in the change log.
 */
export async function removeEntities(pool: Pool, entities: readonly RemovedEntity[], trace: Trace): Promise<boolean> {
  const removed = await tryTransaction(
    pool,
    async (database) => (await removeEntitiesIn(database, entities, trace)) || undefined,
  );
  return removed ?? false;
}

/** Like removeEntities, but inside the caller's transaction (`tryTransaction`). The caller must roll back if this returns false. */
export async function removeEntitiesIn(database: Database, entities: readonly RemovedEntity[], trace: Trace): Promise<boolean> {
  const uids = entities.map((entity) => entity.uid);
  await lockEntities(database, uids);
  // PostgreSQL checks the rows of one statement in the order in which it deletes them. A link between two of them would fail that check.
  if (uids.length > 1) await deleteLinksBetween(database, uids);
  const values = [uids, entities.map((entity) => entity.resource_version), ...traceParameters(trace)];
  const { rows } = await database.query({ name: "remove-entities", text, values });
  return rows.length === entities.length;
}
