import type { EntityJson } from "@cloudwright/contract";
import { findEntity } from "@cloudwright/store";
import { includes } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import type { NewEntityPlace } from "../kinds/kind-rules.ts";

/** An entity that another one copies, and the entity's own account. */
export interface Source {
  readonly uid: string;
  readonly name: string;
  readonly accountUid: string;
  readonly entity: EntityJson;
}

/**
 * Returns the entity that a new one copies. Throws if it does not exist, if it is being deleted, or if the caller's role does not cover it.
 */
export async function findSource(
  { pool }: Pick<ApiDeps, "pool">,
  target: NewEntityPlace,
  { kind, ref, field }: { readonly kind: string; readonly ref: string; readonly field: string },
): Promise<Source> {
  const row = await findEntity(pool, { kind, project: target.project, namingScope: "", ref });
  const refuse = (message: string): never => {
    throw invalid(`the ${target.kind.kind}`, [{ field, message }]);
  };
  // An entity outside the caller's reach is reported as missing, because the error must not reveal that it exists.
  if (row === undefined || !includes(target.reach, row.environment)) return refuse(`${kind} "${ref}" not found`);
  if (row.deleted_at !== null) return refuse(`${kind} "${row.name}" is being deleted`);
  return { uid: row.uid, name: row.name, accountUid: row.parent_uid ?? "", entity: parseEntity(row.object) };
}
