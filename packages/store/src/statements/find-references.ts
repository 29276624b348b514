import { isUid } from "@cloudwright/platform";
import type { Database } from "../pool.ts";

/** A reference to an entity by name or uid. */
export interface Reference {
  readonly kind: string;
  readonly project: string;
  readonly ref: string;
}

export interface ReferenceRow {
  readonly index: number;
  readonly uid: string;
  readonly name: string;
  readonly environment: string;
  readonly environment_uid: string | null;
  readonly deleted_at: Date | null;
  readonly object: string;
}

const text = `select r.index, e.uid, e.name, e.environment, e.environment_uid, e.deleted_at, e.object::text as object
from json_to_recordset($1::json) as r (index int, kind text, project text, name text, uid uuid)
cross join lateral (
  select * from entity where uid = r.uid and kind = r.kind and project = r.project
  union all
  select * from entity where project = r.project and kind = r.kind and naming_scope = '' and name = r.name
) e`;

/** Finds the referenced entities, in the order of the references. The result contains undefined for each entity that does not exist. */
export async function findReferences(
  database: Database,
  references: readonly Reference[],
): Promise<(ReferenceRow | undefined)[]> {
  if (references.length === 0) return [];
  const wanted = references.map(({ kind, project, ref }, index) => ({
    index,
    kind,
    project,
    [isUid(ref) ? "uid" : "name"]: ref,
  }));
  const { rows } = await database.query<ReferenceRow>({ name: "find-references", text, values: [JSON.stringify(wanted)] });
  return references.map((_, index) => rows.find((row) => row.index === index));
}
