import type { JsonObject } from "@cloudwright/contract";
import { findReferences, type Database, type EntityRow, type ReferenceRow } from "@cloudwright/store";
import { denied, includes } from "../calls/caller.ts";
import { textAt } from "../entities/json-tree.ts";
import type { Target } from "../entities/target.ts";

/**
 * What an operation is about; undefined when it is gone. It may have moved to another environment since the operation was opened: who
 * acts on the operation acts on the entity, and must reach it where it is now.
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
    throw denied(target.method, `in the environment that ${kind} "${found.name}" is in now`);
  return found;
}
