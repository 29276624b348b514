import type pg from "pg";
import type { Database, Pool } from "../pool.ts";

/** Advisory lock keys. `migrate.ts` defines its own key, because migrations run before everything else. */
const setUpLock = 7267;
const keyRingLock = 7269;
const homeLock = 0x686f6d65; // "home"

/** Serialises the initial set-up of the platform. The lock is held until the transaction ends. */
export async function lockSetUp(database: Database): Promise<void> {
  await database.query({ text: "select pg_advisory_xact_lock($1)", values: [setUpLock] });
}

/** Serialises the creation of encryption keys for a new database. The lock is held until the transaction ends. */
export async function lockKeyRing(database: Database): Promise<void> {
  await database.query({ text: "select pg_advisory_xact_lock($1)", values: [keyRingLock] });
}

/**
 * Tries to lock an embedded database for one server. Returns the connection that holds the lock, or undefined if another server holds it.
 * The lock is released when the connection ends, even if the process is killed.
 */
export async function tryHomeLock(pool: Pool): Promise<pg.Client | undefined> {
  const client = await pool.connect();
  const { rows } = await client.query<{ locked: boolean }>("select pg_try_advisory_lock($1) as locked", [homeLock]);
  if (rows[0]?.locked === true) return client;
  await client.end();
  return undefined;
}
