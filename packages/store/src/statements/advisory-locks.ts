import type pg from "pg";
import type { Database, Pool } from "../pool.ts";

/** Advisory lock keys. `migrate.ts` has its own, because migrations run before anything else. */
const setUpLock = 7267;
const homeLock = 0x686f6d65; // "home"

/** Waits until no other transaction sets up the platform, and keeps others out until this transaction ends. */
export async function lockSetUp(database: Database): Promise<void> {
  await database.query({ text: "select pg_advisory_xact_lock($1)", values: [setUpLock] });
}

/**
 * Takes the lock that allows one server to use an embedded database. Returns the connection that holds it, or undefined if another
 * server has the lock. The lock ends with the connection, however the process dies.
 */
export async function tryHomeLock(pool: Pool): Promise<pg.Client | undefined> {
  const client = await pool.connect();
  const { rows } = await client.query<{ locked: boolean }>("select pg_try_advisory_lock($1) as locked", [homeLock]);
  if (rows[0]?.locked === true) return client;
  await client.end();
  return undefined;
}
