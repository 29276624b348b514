import type { Database } from "../pool.ts";

/** Finds what an Idempotency-Key created before: the entity as it is now, and the hash of the request. */
export async function findIdempotent(
  database: Database,
  hash: Buffer,
): Promise<{ request_hash: Buffer; object: string } | undefined> {
  const text =
    "select i.request_hash, e.object::text as object from idempotency i join entity e on e.uid = i.entity_uid where i.hash = $1";
  return (await database.query<{ request_hash: Buffer; object: string }>({ name: "find-idempotent", text, values: [hash] }))
    .rows[0];
}
