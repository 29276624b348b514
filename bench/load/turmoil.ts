import { createUid, systemClock } from "@cloudwright/platform";
import { createPool, type Database, type Pool } from "@cloudwright/store";
import type { BenchPlatform } from "../processes/bench-platform.ts";
import { clusterInput } from "./cluster-inputs.ts";
import { expectStatus, openConnection } from "./connection.ts";

const path = "/v1/projects/default/clusters";

/** Runs conflicting writers concurrently. Returns the number of writes that were rolled back or rejected. */
export async function causeTurmoil(
  platform: BenchPlatform,
  prefix: string,
  counts: { readonly creates: number; readonly transactions: number },
): Promise<number> {
  const pool = createPool({ url: platform.databaseUrl });
  try {
    const writers = Array.from({ length: 8 }, (_, writer) => createConflicting(platform, prefix, writer, counts.creates));
    const transactions = Array.from({ length: 4 }, () => writeSlowly(pool, counts.transactions));
    const undone = await Promise.all([...writers, ...transactions]);
    return undone.reduce((sum, part) => sum + part, 0);
  } finally {
    await pool.close();
  }
}

/** Creates clusters through the API. Half of the names are used by all writers, so the API accepts each of them from only one writer. */
async function createConflicting(platform: BenchPlatform, prefix: string, writer: number, count: number): Promise<number> {
  const client = openConnection(platform.server.url, platform.adminKey);
  let refused = 0;
  for (let index = 0; index < count; index += 1) {
    const name = index % 2 === 0 ? `${prefix}-${writer}-${index}` : `${prefix}-all-${index}`;
    const { status } = expectStatus(await client.send("POST", path, clusterInput(name, "main")), 202, 409);
    if (status === 409) refused += 1;
  }
  client.close();
  return refused;
}

/**
 * Runs transactions that reserve an early position in the change log and end late. Half of them commit after transactions that began later.
 * The others roll back.
 */
async function writeSlowly(pool: Pool, count: number): Promise<number> {
  let undone = 0;
  for (let index = 0; index < count; index += 1) {
    const commits = index % 2 === 0;
    await pool
      .transaction(async (database) => {
        await insertChange(database);
        await systemClock.sleep(index % 7);
        await insertChange(database);
        if (!commits) throw new Undone();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
        undone += 1;
      });
  }
  return undone;
}

class Undone extends Error {}

async function insertChange(database: Database): Promise<void> {
  const text = `insert into change (seq, at, type, project, kind, uid, environment, labels, object)
    values (nextval('resource_version'), now(), 'MODIFIED', 'default', 'Cluster', $1, '', '{}', '{"metadata":{"name":"raw"}}')`;
  await database.query({ text, values: [createUid(systemClock.now())] });
}
