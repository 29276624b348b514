import type { Clock, KeepMs, KeepMsByKind, Logger, Retention, Shutdown } from "@cloudwright/platform";
import { prune, type CutoffByKind, type Pool, type PruneLimits } from "@cloudwright/store";

const everyMs = 10 * 60_000;
const keepIdempotencyMs = 24 * 3_600_000;

/** Periodically deletes records whose retention period has expired. Safe to run on several replicas concurrently. */
export function startPruning(deps: { pool: Pool; clock: Clock; log: Logger; shutdown: Shutdown }, retention: Retention): void {
  const { pool, clock, log } = deps;
  const timer = setInterval(() => {
    prune(pool, renderLimits(retention, clock.now())).then(
      ({ changes }) => log.debug({ changes }, "pruned"),
      (error: unknown) => log.warn({ err: error }, "could not prune"),
    );
  }, everyMs);
  timer.unref();
  deps.shutdown.onClose("pruning", () => clearInterval(timer));
}

/** Converts retention periods to cutoff times. Records older than their cutoff are deleted. */
export function renderLimits(retention: Retention, nowMs: number): PruneLimits {
  const at = (ageMs: number): string => new Date(nowMs - ageMs).toISOString();
  const since = (ageMs: KeepMs): string | undefined => (ageMs === undefined ? undefined : at(ageMs));
  const byKind = (ages: KeepMsByKind): CutoffByKind =>
    Object.fromEntries(Object.entries(ages).map(([kind, ageMs]) => [kind, since(ageMs) ?? null]));
  return {
    changes: at(retention.changes),
    idempotency: at(keepIdempotencyMs),
    events: since(retention.events),
    audit: since(retention.audit),
    operations: since(retention.operations),
    stateVersions: byKind(retention.stateVersions),
    deletedStates: byKind(retention.deletedStates),
    now: at(0),
  };
}
