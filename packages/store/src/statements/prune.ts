import type { Pool } from "../pool.ts";

/** Forgets what is no longer needed: old changes (moving the horizon), sessions, used tokens and idempotency keys that ran out. */
export async function prune(
  pool: Pool,
  before: { changes: string; idempotency: string; now: string },
): Promise<{ changes: number }> {
  return pool.transaction(async (database) => {
    const { rows } = await database.query<{ locked: boolean }>({
      text: "select pg_try_advisory_xact_lock(7266) as locked",
      values: [],
    });
    if (rows[0]?.locked !== true) return { changes: 0 };
    await database.query({ text: "delete from session where expires_at < $1", values: [before.now] });
    await database.query({ text: "delete from used_token where expires_at < $1", values: [before.now] });
    await database.query({ text: "delete from idempotency where created_at < $1", values: [before.idempotency] });
    // Only below the oldest running transaction: a gap left by one that is still open must not be skipped over.
    const text = `with gone as (
        delete from change where at < $1 and xid < pg_snapshot_xmin(pg_current_snapshot()) returning xid, seq
      ), last as (select xid, seq from gone order by xid desc, seq desc limit 1)
      , moved as (update change_horizon h set xid = last.xid, seq = last.seq from last where (last.xid, last.seq) > (h.xid, h.seq))
      select count(*)::int as changes from gone`;
    const pruned = await database.query<{ changes: number }>({ text, values: [before.changes] });
    return { changes: pruned.rows[0]?.changes ?? 0 };
  });
}
