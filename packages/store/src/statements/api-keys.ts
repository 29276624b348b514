import type { Database } from "../pool.ts";

/** Replaces a key's hash, so that the old key is refused from the next request on. Its sessions end with it. */
export async function replaceKeyHash(database: Database, uid: string, hash: Buffer, prefix: string): Promise<void> {
  const text = `with ended as (delete from session where key_uid = $1) update api_key set hash = $2, prefix = $3 where uid = $1`;
  await database.query({ name: "replace-key-hash", text, values: [uid, hash, prefix] });
}
