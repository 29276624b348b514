import type { Database } from "../pool.ts";
import { entityColumns, type EntityRow } from "./find-entity.ts";

/** Marks an SSH key as being replaced. */
export async function insertKeyRotation(database: Database, keyUid: string): Promise<void> {
  const text = "insert into key_rotation (key_uid) values ($1) on conflict do nothing";
  await database.query({ name: "insert-key-rotation", text, values: [keyUid] });
}

/** Lists the uids of the SSH keys that are being replaced. */
export async function listKeyRotations(database: Database): Promise<string[]> {
  const text = "select key_uid as uid from key_rotation order by key_uid";
  return (await database.query<{ uid: string }>({ name: "list-key-rotations", text, values: [] })).rows.map(({ uid }) => uid);
}

/**
 * Locks the replacement of a key until the transaction ends, and returns the key. Returns undefined if another replica has locked it, or if
 * it has ended.
 */
export async function lockKeyRotation(database: Database, keyUid: string): Promise<EntityRow | undefined> {
  const lock = "select key_uid from key_rotation where key_uid = $1 for update skip locked";
  const { rows } = await database.query({ name: "lock-key-rotation", text: lock, values: [keyUid] });
  if (rows.length === 0) return undefined;
  const text = `select ${entityColumns} from entity where uid = $1`;
  return (await database.query<EntityRow>({ name: "find-rotating-key", text, values: [keyUid] })).rows[0];
}

export async function deleteKeyRotation(database: Database, keyUid: string): Promise<void> {
  await database.query({ name: "delete-key-rotation", text: "delete from key_rotation where key_uid = $1", values: [keyUid] });
}

/** Lists the keys of an entity that are being replaced, with their secrets. */
export async function listRotatingKeys(
  database: Database,
  entityUid: string,
): Promise<Pick<EntityRow, "uid" | "kind" | "name" | "sealed">[]> {
  const text = `select e.uid, e.kind, e.name, e.sealed from entity_link l join key_rotation r on r.key_uid = l.to_uid
    join entity e on e.uid = l.to_uid where l.from_uid = $1 order by l.position`;
  return (await database.query<EntityRow>({ name: "list-rotating-keys", text, values: [entityUid] })).rows;
}

/** Lists the entities that refer to a key and are not being deleted. */
export async function listKeyUsers(database: Database, keyUid: string): Promise<EntityRow[]> {
  const text = `select ${entityColumns} from entity where uid in (select from_uid from entity_link where to_uid = $1) and deleted_at is null
    order by name, uid`;
  return (await database.query<EntityRow>({ name: "list-key-users", text, values: [keyUid] })).rows;
}
