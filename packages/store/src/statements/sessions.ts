import type { Database } from "../pool.ts";

export async function insertSession(
  database: Database,
  session: { hash: Buffer; keyUid: string; createdAt: string; expiresAt: string },
): Promise<void> {
  const text = "insert into session (hash, key_uid, created_at, expires_at) values ($1, $2, $3, $4)";
  await database.query({ text, values: [session.hash, session.keyUid, session.createdAt, session.expiresAt] });
}

export async function deleteSession(database: Database, hash: Buffer): Promise<void> {
  await database.query({ text: "delete from session where hash = $1", values: [hash] });
}
