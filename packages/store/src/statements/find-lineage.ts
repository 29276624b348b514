import type { Database } from "../pool.ts";

/** An entity or one of its ancestors. `object` is its JSON text. */
export interface LineageRow {
  readonly uid: string;
  readonly kind: string;
  readonly object: string;
}

const text = `with recursive lineage as (
  select uid, parent_uid, kind, object, 0 as depth from entity where uid = $1 and kind <> 'Project'
  union all
  select e.uid, e.parent_uid, e.kind, e.object, l.depth + 1 from lineage l join entity e on e.uid = l.parent_uid where e.kind <> 'Project'
)
select uid, kind, object::text as object from lineage order by depth`;

/** Returns an entity followed by its ancestors, nearest first, without the project. The list is empty if the entity does not exist. */
export async function findLineage(database: Database, uid: string): Promise<LineageRow[]> {
  return (await database.query<LineageRow>({ name: "find-lineage", text, values: [uid] })).rows;
}
