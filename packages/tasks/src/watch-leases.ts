import { extendAllLeases } from "./extend-leases.ts";
import type { FinishDeps } from "./finish.ts";
import { reapTasks } from "./reap.ts";

/** What a look at the leases did. */
export interface LeaseWatch {
  readonly reaped: number;
  /** Leases that were given their full time again, because nobody could have renewed them. */
  readonly extended: number;
}

/** Longer than between two looks, shorter than any lease: after such a gap nobody was there. */
const gapSeconds = 8;

/**
 * To be called every second or two by whoever serves agents: takes over tasks whose lease ran out a grace ago. After a time in which
 * nobody looked, agents could not renew; then every lease gets its full time again instead, so that an outage costs no work.
 */
export async function watchLeases(deps: FinishDeps, leaseSeconds: number, graceSeconds: number): Promise<LeaseWatch> {
  const text = `with before as (select seen_at from lease_watch for update)
    update lease_watch set seen_at = clock_timestamp() from before
    returning extract(epoch from clock_timestamp() - before.seen_at)::float8 as gap`;
  const { rows } = await deps.database.query<{ gap: number }>({ name: "watch-leases", text, values: [] });
  if ((rows[0]?.gap ?? 0) > gapSeconds) return { reaped: 0, extended: await extendAllLeases(deps.database, leaseSeconds) };
  return { reaped: (await reapTasks(deps, graceSeconds)).length, extended: 0 };
}
