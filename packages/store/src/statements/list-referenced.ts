import type { Database } from "../pool.ts";

/** An entity that another one refers to, with its encrypted secrets. */
export interface ReferencedRow {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly project: string;
  readonly sealed: Buffer | null;
  /** Path of the referring field below `spec`. Null for the owner. */
  readonly field: string | null;
}

/** Lists the owner of an entity and the entities that it links to. */
export async function listReferenced(database: Database, uid: string): Promise<ReferencedRow[]> {
  const text = `select e.uid, e.kind, e.name, e.project, e.sealed, r.field from (
      select parent_uid as uid, null as field, -1 as position from entity where uid = $1
      union all select to_uid, field, position from entity_link where from_uid = $1
    ) r join entity e on e.uid = r.uid order by r.position`;
  return (await database.query<ReferencedRow>({ name: "list-referenced", text, values: [uid] })).rows;
}
