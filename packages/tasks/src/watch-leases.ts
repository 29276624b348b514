import { extendAllLeases } from "./extend-leases.ts";
import type { FinishDeps } from "./finish.ts";
import { reapTasks } from "./reap.ts";

export interface LeaseWatch {
  readonly reaped: number;
  /** Number of leases that were extended after an outage. */
  readonly extended: number;
}

/** A gap between checks that is longer than this means that no server was running. The value is shorter than any lease. */
const gapSeconds = 8;

/**
 * Reaps tasks whose leases expired longer ago than the grace period. Servers call this every one to two seconds. A longer gap between calls
 * means that no server was running and agents could not renew their leases. All leases are then extended, so that no work is lost in an
 * outage.
 */
export async function watchLeases(deps: FinishDeps, leaseSeconds: number, graceSeconds: number): Promise<LeaseWatch> {
  const text = `with before as (select seen_at from lease_watch for update)
    update lease_watch set seen_at = clock_timestamp() from before
    returning extract(epoch from clock_timestamp() - before.seen_at)::float8 as gap`;
  const { rows } = await deps.database.query<{ gap: number }>({ name: "watch-leases", text, values: [] });
  if ((rows[0]?.gap ?? 0) > gapSeconds) return { reaped: 0, extended: await extendAllLeases(deps.database, leaseSeconds) };
  return { reaped: (await reapTasks(deps, graceSeconds)).length, extended: 0 };
}
