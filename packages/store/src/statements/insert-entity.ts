import { Fault } from "@cloudwright/platform";
import { storeFaults } from "../faults.ts";
import { isViolation, type Database } from "../pool.ts";
import { traceParameters, traceSql, type Trace } from "../trace.ts";
import { workParameters, workSql, type Work } from "../work.ts";

/** A new entity and the columns derived from it. `object` is its JSON text. */
export interface EntityInsert {
  readonly uid: string;
  readonly kind: string;
  readonly project: string;
  readonly namingScope: string;
  readonly name: string;
  readonly parentUid: string | null;
  readonly subjectUid: string | null;
  readonly environmentUid: string | null;
  readonly environment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly at: string;
  readonly object: string;
  readonly sealed: Buffer | null;
  readonly apiKey?: ApiKeyInsert;
  readonly idempotency?: { readonly hash: Buffer; readonly requestHash: Buffer };
}

export interface ApiKeyInsert {
  readonly hash: Buffer;
  readonly prefix: string;
  readonly project: string;
  readonly role: string;
  readonly expiresAt: string | null;
}

const write = `with parent as (
  select uid from entity where uid = $6 and deleted_at is null for share
), written as (
  insert into entity (uid, kind, project, naming_scope, name, parent_uid, subject_uid, environment_uid, environment, labels,
    resource_version, created_at, updated_at, object, sealed)
  select $1, $2, $3, $4, $5, $6::uuid, $7::uuid, $8::uuid, $9, $10::jsonb, $11, $12, $12, $13::json, $14
  where $6::uuid is null or exists (select from parent)
  returning uid
), key as (
  insert into api_key (hash, uid, user_uid, prefix, project, role, expires_at)
  select $18::bytea, uid, $6::uuid, $19, $20, $21, $22::timestamptz from written where $18::bytea is not null
), once as (
  insert into idempotency (hash, request_hash, entity_uid, created_at)
  select $23::bytea, $24::bytea, uid, $12 from written where $23::bytea is not null
), ${traceSql("written", 15)}`;
const plain = { name: "insert-entity", text: `${write} select uid from written` };
const withWork = { name: "insert-entity-and-work", text: `${write}, ${workSql("written", 25)} select uid from written` };

/**
 * Inserts an entity with its trace and the requested work in one statement. If several inserts use the same name concurrently, exactly one
 * succeeds.
 */
export async function insertEntity(database: Database, entity: EntityInsert, trace: Trace, work?: Work): Promise<void> {
  const { apiKey, idempotency } = entity;
  const values = [
    entity.uid,
    entity.kind,
    entity.project,
    entity.namingScope,
    entity.name,
    entity.parentUid,
    entity.subjectUid,
    entity.environmentUid,
    entity.environment,
    JSON.stringify(entity.labels),
    entity.resourceVersion,
    entity.at,
    entity.object,
    entity.sealed,
    ...traceParameters(trace),
    apiKey?.hash ?? null,
    apiKey?.prefix ?? null,
    apiKey?.project ?? null,
    apiKey?.role ?? null,
    apiKey?.expiresAt ?? null,
    idempotency?.hash ?? null,
    idempotency?.requestHash ?? null,
  ];
  try {
    const statement = work === undefined ? { ...plain, values } : { ...withWork, values: [...values, ...workParameters(work)] };
    const { rows } = await database.query(statement);
    if (rows.length === 0)
      throw new Fault(
        storeFaults.parent_gone,
        `the parent of ${entity.kind} "${entity.name}" does not exist or is being deleted`,
      );
  } catch (error) {
    if (isViolation(error, "23505", "entity_name")) {
      throw new Fault(storeFaults.exists, `${entity.kind} "${entity.name}" already exists`, { cause: error });
    }
    if (isViolation(error, "23505", "existing_cluster_id")) {
      const message = `${entity.kind} "${entity.name}" cannot be created: another entity has already imported this cluster from its account`;
      throw new Fault(storeFaults.imported, message, { cause: error });
    }
    if (isViolation(error, "23503")) {
      throw new Fault(
        storeFaults.parent_gone,
        `an entity that ${entity.kind} "${entity.name}" refers to was deleted in the meantime`,
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}
