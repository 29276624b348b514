import type { JsonObject } from "@cloudwright/contract";
import { findReferences, type Database, type EntityRow, type ReferenceRow } from "@cloudwright/store";
import { denied, includes } from "../calls/authorise.ts";
import { textAt } from "../entities/json-tree.ts";
import type { Target } from "../entities/target.ts";

/**
 * Returns the entity that an operation acts on, or undefined if the entity was deleted. Throws if the caller has no access to the
 * entity's current environment. The entity may have moved there after the operation was created.
 */
export async function findSubject(
  database: Database,
  target: Target,
  row: EntityRow,
  spec: JsonObject,
): Promise<ReferenceRow | undefined> {
  const kind = textAt(spec, "entityKind");
  const [found] = await findReferences(database, [{ kind, project: row.project, ref: textAt(spec, "entityUid") }]);
  if (found !== undefined && !includes(target.reach, found.environment))
    throw denied(target.method, `in the current environment of ${kind} "${found.name}"`);
  return found;
}
