import type { Database } from "../pool.ts";
import { entityColumns, type EntityRow } from "./find-entity.ts";

const text = `select ${entityColumns} from entity
where open_about_uid = any($1::uuid[])
order by uid`;

/** Returns the operations on these entities that have not ended, oldest first. */
export async function listOpenOperations(database: Database, entityUids: readonly string[]): Promise<EntityRow[]> {
  return (await database.query<EntityRow>({ name: "list-open-operations", text, values: [entityUids] })).rows;
}
