import type { Database } from "../pool.ts";
import { entityColumns, type EntityRow } from "./find-entity.ts";

const text = `with recursive tree as (
  select uid, 0 as depth from entity where uid = $1
  union all
  select e.uid, tree.depth + 1 from entity e join tree on e.parent_uid = tree.uid or e.subject_uid = tree.uid
)
select ${entityColumns}, depth from (select uid as tree_uid, max(depth) as depth from tree group by uid) t join entity on uid = tree_uid
order by depth, kind, uid`;

/**
 * Returns an entity and all of its descendants, ordered with parents first, then by creation time. A user's role bindings are treated as
 * descendants of the user.
 */
export async function findSubtree(database: Database, uid: string): Promise<(EntityRow & { depth: number })[]> {
  const { rows } = await database.query<EntityRow & { depth: number }>({ name: "find-subtree", text, values: [uid] });
  return rows;
}
