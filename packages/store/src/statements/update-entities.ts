import type { Database } from "../pool.ts";
import { traceParameters, traceSql, type Trace } from "../trace.ts";
import { workParameters, workSql, type Work } from "../work.ts";

/** An update to one entity of a batch. The entity's labels, environment and secrets stay unchanged. `object` is the entity's JSON text. */
export interface ManyUpdate {
  readonly uid: string;
  /** The version that the caller read. */
  readonly oldVersion: string;
  readonly resourceVersion: string;
  readonly at: string;
  readonly deletedAt: string | null;
  readonly object: string;
}

// Locks rows in a fixed order first, so that two transactions that write the same entities cannot deadlock. Both parts filter by the array
// of uids. With the JSON alone, PostgreSQL could only guess the number of rows and might scan all entities.
const text = `with held as materialized (
  select uid from entity where uid = any($7::uuid[]) order by uid for update
), written as (
  update entity e set resource_version = g.resource_version, updated_at = g.at, deleted_at = g.deleted_at, object = g.object
  from json_to_recordset($1::json) as g (uid uuid, old_version bigint, resource_version bigint, at timestamptz, deleted_at timestamptz, object json)
  where e.uid = any($7::uuid[]) and e.uid = g.uid and e.resource_version = g.old_version and (select count(*) from held) > 0
  returning e.uid, e.object
), ${traceSql("written", 2, { returnsObjects: true })}, ${workSql("written", 5)}
select uid from written`;

/**
 * Updates entities with their trace and the requested work, inside the caller's transaction (`tryTransaction`). Returns false if one of
 * them has changed since it was read. The caller must then roll back.
 */
export async function updateEntitiesIn(
  database: Database,
  updates: readonly ManyUpdate[],
  trace: Trace,
  work: Work,
): Promise<boolean> {
  const uids = updates.map((update) => update.uid);
  const objects = new Map(updates.map(({ uid, object }) => [uid, object]));
  const changes = traceParameters(trace, ({ uid, object }) => objects.get(uid) === object);
  const values = [`[${updates.map(renderUpdate).join(",")}]`, ...changes, ...workParameters(work), uids];
  const { rows } = await database.query({ name: "update-entities", text, values });
  return rows.length === updates.length;
}

function renderUpdate(update: ManyUpdate): string {
  const { object, oldVersion, resourceVersion, deletedAt, ...rest } = update;
  const row = JSON.stringify({ ...rest, old_version: oldVersion, resource_version: resourceVersion, deleted_at: deletedAt });
  return `${row.slice(0, -1)},"object":${object}}`;
}
