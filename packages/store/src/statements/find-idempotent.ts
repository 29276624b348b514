import type { Database } from "../pool.ts";

/** Finds the entity that an earlier request with this Idempotency-Key created. Returns its current state and the hash of that request. */
export async function findIdempotent(
  database: Database,
  hash: Buffer,
): Promise<{ request_hash: Buffer; object: string } | undefined> {
  const text =
    "select i.request_hash, e.object::text as object from idempotency i join entity e on e.uid = i.entity_uid where i.hash = $1";
  return (await database.query<{ request_hash: Buffer; object: string }>({ name: "find-idempotent", text, values: [hash] }))
    .rows[0];
}
