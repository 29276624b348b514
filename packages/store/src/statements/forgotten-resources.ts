import type { Database } from "../pool.ts";

/** A resource that a user removed from an entity's state. It still exists in the cloud. */
export interface ForgottenResource {
  readonly type: string;
  readonly id: string;
  readonly address: string;
}

/** SQL that returns the forgotten resources of the entity `uid` as a JSON array, or null if there are none. */
export const forgottenOf = (uid: string): string =>
  `(select json_agg(json_build_object('type', f.type, 'id', f.id, 'address', f.address) order by f.address, f.id)
    from forgotten_resource f where f.entity_uid = ${uid})`;

/** Lists the resources that users told the platform to forget. */
export async function listForgotten(database: Database, entityUid: string): Promise<readonly ForgottenResource[]> {
  const { rows } = await database.query<{ forgotten: ForgottenResource[] | null }>({
    name: "list-forgotten",
    text: `select ${forgottenOf("$1")} as forgotten`,
    values: [entityUid],
  });
  return rows[0]?.forgotten ?? [];
}

// An existing record keeps the operation of the request that created it. Otherwise the failure of a later request would delete the record.
const insert = `insert into forgotten_resource (entity_uid, type, id, address, operation_uid)
select $1, r.type, r.id, r.address, $3 from json_to_recordset($2) as r (type text, id text, address text)
on conflict (entity_uid, type, id) do update set address = excluded.address`;

/** Records resources that runs must not adopt again. The records live as long as the entity, unless one of the functions below deletes them. */
export async function insertForgotten(
  database: Database,
  entityUid: string,
  resources: readonly ForgottenResource[],
  operationUid: string,
): Promise<void> {
  const values = [entityUid, JSON.stringify(resources), operationUid];
  await database.query({ name: "insert-forgotten", text: insert, values });
}

/** Deletes the record of a resource that was adopted. If the type is unknown, deletes the records of all types with this id. */
export async function deleteForgotten(
  database: Database,
  entityUid: string,
  { type, id }: { readonly type?: string; readonly id: string },
): Promise<void> {
  const text = "delete from forgotten_resource where entity_uid = $1 and id = $2 and type = coalesce($3, type)";
  await database.query({ name: "delete-forgotten", text, values: [entityUid, id, type ?? null] });
}

/** Deletes the records created by a request that failed. */
export async function undoForgotten(database: Database, operationUid: string): Promise<void> {
  const text = "delete from forgotten_resource where operation_uid = $1";
  await database.query({ name: "undo-forgotten", text, values: [operationUid] });
}
