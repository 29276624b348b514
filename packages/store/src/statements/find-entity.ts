import { isUid } from "@cloudwright/platform";
import type { Database } from "../pool.ts";

/** A stored entity. `object` is its JSON text, exactly as callers see it. */
export interface EntityRow {
  readonly uid: string;
  readonly kind: string;
  readonly project: string;
  readonly name: string;
  readonly parent_uid: string | null;
  readonly subject_uid: string | null;
  readonly environment_uid: string | null;
  readonly environment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resource_version: string;
  readonly deleted_at: Date | null;
  readonly object: string;
  readonly sealed: Buffer | null;
}

/** Identifies an entity by name or uid within a kind and project. The uid of an entity in another project does not match. */
export interface EntityKey {
  readonly kind: string;
  readonly project: string;
  /** Uid of the entity within which the name is unique. Empty for all kinds except node pools. */
  readonly namingScope: string;
  /** Name or uid. */
  readonly ref: string;
}

export const entityColumns =
  "uid, kind, project, name, parent_uid, subject_uid, environment_uid, environment, labels, resource_version, deleted_at, object::text as object, sealed";

const byName = `select ${entityColumns} from entity where project = $1 and kind = $2 and naming_scope = $3 and name = $4`;
const byUid = `select ${entityColumns} from entity where project = $1 and kind = $2 and naming_scope = $3 and uid = $4`;

export async function findEntity(database: Database, key: EntityKey): Promise<EntityRow | undefined> {
  const statement = isUid(key.ref) ? { name: "find-entity-by-uid", text: byUid } : { name: "find-entity-by-name", text: byName };
  const { rows } = await database.query<EntityRow>({ ...statement, values: [key.project, key.kind, key.namingScope, key.ref] });
  return rows[0];
}
