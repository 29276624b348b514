import { extendAllLeases } from "./extend-leases.ts";
import type { FinishDeps } from "./finish.ts";
import { reapTasks } from "./reap.ts";

/** The result of checking the leases. */
export interface LeaseWatch {
  readonly reaped: number;
  /** Leases that got their full time again, because nobody could have renewed them. */
  readonly extended: number;
}

/** Longer than the interval of checks, shorter than any lease. After such a gap no server was running. */
const gapSeconds = 8;

/**
 * Takes over tasks whose lease expired more than a grace period ago. Servers of agents call this every second or two. After a period
 * without checks, in which agents could not renew, every lease gets its full time again instead, so that an outage loses no work.
 */
export async function watchLeases(deps: FinishDeps, leaseSeconds: number, graceSeconds: number): Promise<LeaseWatch> {
  const text = `with before as (select seen_at from lease_watch for update)
    update lease_watch set seen_at = clock_timestamp() from before
    returning extract(epoch from clock_timestamp() - before.seen_at)::float8 as gap`;
  const { rows } = await deps.database.query<{ gap: number }>({ name: "watch-leases", text, values: [] });
  if ((rows[0]?.gap ?? 0) > gapSeconds) return { reaped: 0, extended: await extendAllLeases(deps.database, leaseSeconds) };
  return { reaped: (await reapTasks(deps, graceSeconds)).length, extended: 0 };
}
