import type { Pool } from "../pool.ts";

/**
 * Makes the change log usable after the database was restored on another server. The rows of the log contain transaction ids of the old
 * server, which may be higher than any id on the new one. This function deletes the rows and sets the horizon, so that watchers must list
 * again. Returns false if the log was usable already.
 */
export async function mendChangeLog(pool: Pool): Promise<boolean> {
  return pool.transaction(async (database) => {
    await database.query({ text: "lock table change_horizon in share row exclusive mode", values: [] });
    const { rows } = await database.query<{ foreign: boolean }>({
      text: `select greatest(h.xid, coalesce((select c.xid from change c order by c.xid desc limit 1), h.xid))
        >= pg_snapshot_xmax(pg_current_snapshot()) as foreign from change_horizon h`,
      values: [],
    });
    if (rows[0]?.foreign !== true) return false;
    await database.query({ text: "truncate change", values: [] });
    await database.query({
      text: "update change_horizon set xid = pg_snapshot_xmin(pg_current_snapshot()), seq = 0",
      values: [],
    });
    return true;
  });
}
