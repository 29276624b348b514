import type { Database } from "../pool.ts";
import { traceParameters, traceSql, type Trace } from "../trace.ts";
import { workParameters, workSql, type Work } from "../work.ts";

/** A change to one of many entities that leaves labels, environment and secrets as they are. `object` is its JSON text. */
export interface ManyUpdate {
  readonly uid: string;
  /** The version that was read. */
  readonly oldVersion: string;
  readonly resourceVersion: string;
  readonly at: string;
  readonly deletedAt: string | null;
  readonly object: string;
}

// Locked in one order first, so that two who write the same entities wait for each other instead of for ever. Both by the list of uids: the
// number of rows in JSON is a guess, and by it a plan made while there were few entities would read all of them later.
const text = `with held as materialized (
  select uid from entity where uid = any($7::uuid[]) order by uid for update
), written as (
  update entity e set resource_version = g.resource_version, updated_at = g.at, deleted_at = g.deleted_at, object = g.object
  from json_to_recordset($1::json) as g (uid uuid, old_version bigint, resource_version bigint, at timestamptz, deleted_at timestamptz, object json)
  where e.uid = any($7::uuid[]) and e.uid = g.uid and e.resource_version = g.old_version and (select count(*) from held) > 0
  returning e.uid
), ${traceSql("written", 2)}, ${workSql("written", 5)}
select uid from written`;

/**
 * Writes entities that are still as they were read, with their trace and the work the change asks for, inside the caller's transaction
 * (`tryTransaction`); false when one of them is not, and then the transaction must be rolled back.
 */
export async function updateEntitiesIn(
  database: Database,
  updates: readonly ManyUpdate[],
  trace: Trace,
  work: Work,
): Promise<boolean> {
  const uids = updates.map((update) => update.uid);
  const values = [`[${updates.map(renderUpdate).join(",")}]`, ...traceParameters(trace), ...workParameters(work), uids];
  const { rows } = await database.query({ name: "update-entities", text, values });
  return rows.length === updates.length;
}

function renderUpdate(update: ManyUpdate): string {
  const { object, oldVersion, resourceVersion, deletedAt, ...rest } = update;
  const row = JSON.stringify({ ...rest, old_version: oldVersion, resource_version: resourceVersion, deleted_at: deletedAt });
  return `${row.slice(0, -1)},"object":${object}}`;
}
