import type { Database, Pool } from "../pool.ts";

export interface SigningKeyRow {
  readonly kid: string;
  readonly created_at: Date;
  readonly public_jwk: Readonly<Record<string, string>>;
  readonly sealed: Buffer;
}

/** Returns the keys that sign tokens, newest first. */
export async function listSigningKeys(database: Database): Promise<SigningKeyRow[]> {
  const text = "select kid, created_at, public_jwk, sealed from signing_key order by created_at desc";
  return (await database.query<SigningKeyRow>({ text, values: [] })).rows;
}

/**
 * Adds a signing key unless another process has created one since `notAfter`. Replicas that rotate keys at the same time therefore create
 * only one. The lock is taken in a separate statement. Otherwise, the insert would use a snapshot from before the wait and miss the other
 * replica's key.
 */
export async function insertSigningKey(
  pool: Pool,
  key: { kid: string; createdAt: string; publicJwk: string; sealed: Buffer },
  notAfter: string,
): Promise<boolean> {
  return pool.transaction(async (database) => {
    await database.query({ text: "select pg_advisory_xact_lock(7265)", values: [] });
    const text = `insert into signing_key (kid, created_at, public_jwk, sealed) select $1, $2, $3::json, $4
      where not exists (select from signing_key where created_at > $5) returning kid`;
    const { rows } = await database.query({ text, values: [key.kid, key.createdAt, key.publicJwk, key.sealed, notAfter] });
    return rows.length === 1;
  });
}

export async function deleteSigningKeysBefore(database: Database, before: string): Promise<void> {
  await database.query({ text: "delete from signing_key where created_at < $1", values: [before] });
}

/** Marks a single-use token as used. Returns false if it was used before. */
export async function useToken(database: Database, jti: string, expiresAt: string): Promise<boolean> {
  const text = "insert into used_token (jti, expires_at) values ($1, $2) on conflict do nothing returning jti";
  return (await database.query({ name: "use-token", text, values: [jti, expiresAt] })).rows.length === 1;
}
