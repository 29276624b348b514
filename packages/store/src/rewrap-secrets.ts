import type { Pool } from "./pool.ts";
import { rewrap, type KeyRing } from "./seal.ts";

/**
 * Rewraps the data key of every encrypted record with the primary key, one page at a time. Returns the number of rewrapped records.
 * Concurrent writes and repeated runs are safe.
 */
export async function rewrapSecrets(pool: Pool, ring: KeyRing): Promise<number> {
  const entities = await rewrapTable(pool, ring, "entity", "uid");
  const states = await rewrapTable(pool, ring, "state_version", "uid");
  const plans = await rewrapTable(pool, ring, "plan", "uid");
  const kubernetes = await rewrapTable(pool, ring, "simulated_kubernetes", "uid");
  const tokens = await rewrapTable(pool, ring, "cluster_token", "uid");
  return entities + states + plans + kubernetes + tokens + (await rewrapTable(pool, ring, "signing_key", "kid"));
}

/** Uids are compared as uuid values, because a comparison as text could not use the index. */
const beforeAll = { uid: "00000000-0000-0000-0000-000000000000", kid: "" };

async function rewrapTable(
  pool: Pool,
  ring: KeyRing,
  table: "entity" | "state_version" | "plan" | "signing_key" | "simulated_kubernetes" | "cluster_token",
  id: keyof typeof beforeAll,
): Promise<number> {
  let done = 0;
  let after = beforeAll[id];
  for (;;) {
    const page = await pool.query<{ id: string; sealed: Buffer }>({
      text: `select ${id} as id, sealed from ${table} where sealed is not null and ${id} > $1 order by ${id} limit 200`,
      values: [after],
    });
    for (const row of page.rows) {
      const sealed = rewrap(ring, row.id, row.sealed);
      if (sealed === undefined) continue;
      const text = `update ${table} set sealed = $2 where ${id} = $1 and sealed = $3`;
      done += (await pool.query({ text, values: [row.id, sealed, row.sealed] })).rowCount ?? 0;
    }
    const last = page.rows.at(-1);
    if (last === undefined) return done;
    after = last.id;
  }
}
