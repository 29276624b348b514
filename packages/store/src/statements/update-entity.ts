import { Fault } from "@cloudwright/platform";
import { storeFaults } from "../faults.ts";
import { isCollision, isViolation, type Database, type Statement } from "../pool.ts";
import { traceParameters, traceSql, type Trace } from "../trace.ts";
import { workParameters, workSql, type Work } from "../work.ts";

export interface EntityUpdate {
  readonly uid: string;
  /** The version that the caller read. If it is outdated, nothing is written. */
  readonly oldVersion: string;
  readonly resourceVersion: string;
  readonly at: string;
  readonly deletedAt: string | null;
  readonly environmentUid: string | null;
  readonly environment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly object: string;
  readonly sealed: Buffer | null;
  /** Replaces the API key. The server rejects the old key from the next request on, and its sessions end. */
  readonly apiKey?: { readonly hash: Buffer; readonly prefix: string };
}

const write = `with written as (
  update entity set resource_version = $3, updated_at = $4, deleted_at = $5, environment_uid = $6, environment = $7,
    labels = $8::jsonb, object = $9::json, sealed = $10
  where uid = $1 and resource_version = $2
  returning uid
), ${traceSql("written", 11)}`;
const plain = { name: "update-entity", text: `${write} select uid from written` };
const withWork = { name: "update-entity-and-work", text: `${write}, ${workSql("written", 14)} select uid from written` };
const rotation = `${write}, key as (
  update api_key set hash = $14, prefix = $15 from written where api_key.uid = written.uid
), sessions as (
  delete from session using written where key_uid = written.uid
), joins as (
  delete from join_token using written where key_uid = written.uid and agent_uid is null
) select uid from written`;

/** Updates an entity with its trace and the requested work. Returns false if the entity has changed since it was read. */
export async function updateEntity(database: Database, update: EntityUpdate, trace: Trace, work?: Work): Promise<boolean> {
  const values = [
    update.uid,
    update.oldVersion,
    update.resourceVersion,
    update.at,
    update.deletedAt,
    update.environmentUid,
    update.environment,
    JSON.stringify(update.labels),
    update.object,
    update.sealed,
    ...traceParameters(trace),
  ];
  try {
    const { rows } = await database.query(chooseStatement(values, update, work));
    return rows.length === 1;
  } catch (error) {
    if (isCollision(error)) return false;
    if (isViolation(error, "23503"))
      throw new Fault(storeFaults.parent_gone, "an entity that this one refers to was deleted in the meantime", { cause: error });
    throw error;
  }
}

function chooseStatement(values: unknown[], { apiKey }: EntityUpdate, work: Work | undefined): Statement {
  if (apiKey !== undefined) return { name: "rotate-api-key", text: rotation, values: [...values, apiKey.hash, apiKey.prefix] };
  return work === undefined ? { ...plain, values } : { ...withWork, values: [...values, ...workParameters(work)] };
}
