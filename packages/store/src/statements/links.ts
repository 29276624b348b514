import { Fault } from "@cloudwright/platform";
import { storeFaults } from "../faults.ts";
import type { Database } from "../pool.ts";

/** A reference from one entity to another that is not its owner. */
export interface Link {
  /** Path of the referencing field relative to `spec`. */
  readonly field: string;
  /** Uid of the referenced entity. */
  readonly uid: string;
}

// Shared row locks prevent the referenced entities from being marked as deleted until this transaction ends.
const lock = "select uid from entity where uid = any($1::uuid[]) and deleted_at is null order by uid for share";

const insert = `insert into entity_link (from_uid, to_uid, field, position)
  select $1, l.uid, l.field, l.position from unnest($2::uuid[], $3::text[]) with ordinality as l (uid, field, position)`;

/**
 * Replaces the links of an entity, inside the caller's transaction. Throws if a referenced entity is missing or being deleted. The caller
 * must then roll back.
 */
export async function writeLinks(database: Database, fromUid: string, links: readonly Link[]): Promise<void> {
  const uids = [...new Set(links.map(({ uid }) => uid))];
  const { rows } = await database.query({ name: "lock-linked", text: lock, values: [uids] });
  if (rows.length < uids.length) throw new Fault(storeFaults.parent_gone, "a referenced entity was deleted or is being deleted");
  await database.query({ name: "delete-links", text: "delete from entity_link where from_uid = $1", values: [fromUid] });
  if (links.length === 0) return;
  const values = [fromUid, links.map(({ uid }) => uid), links.map(({ field }) => field)];
  await database.query({ name: "insert-links", text: insert, values });
}

/** Deletes the links between the given entities, inside the caller's transaction. */
export async function deleteLinksBetween(database: Database, uids: readonly string[]): Promise<void> {
  const text = "delete from entity_link where from_uid = any($1::uuid[]) and to_uid = any($1::uuid[])";
  await database.query({ name: "delete-links-between", text, values: [uids] });
}

/** An entity that links to another one. */
export interface Linker {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly environment: string;
  readonly deleted_at: Date | null;
}

/** Lists the entities that link to any of the given entities, excluding the given entities themselves. */
export async function listLinkers(database: Database, uids: readonly string[]): Promise<Linker[]> {
  const text = `select distinct e.uid, e.kind, e.name, e.environment, e.deleted_at from entity_link l join entity e on e.uid = l.from_uid
    where l.to_uid = any($1::uuid[]) and e.uid <> all($1::uuid[]) order by e.kind, e.name, e.uid`;
  return (await database.query<Linker>({ name: "list-linkers", text, values: [uids] })).rows;
}

/** Lists the uids of the entities that the given entities link to, excluding the given entities themselves. */
export async function listLinked(database: Database, uids: readonly string[]): Promise<string[]> {
  const text = `select distinct to_uid as uid from entity_link where from_uid = any($1::uuid[]) and to_uid <> all($1::uuid[]) order by 1`;
  return (await database.query<{ uid: string }>({ name: "list-linked", text, values: [uids] })).rows.map(({ uid }) => uid);
}
