import type { Clock, Logger, Shutdown } from "@cloudwright/platform";
import { prune, type Pool } from "@cloudwright/store";

const everyMs = 10 * 60_000;
const keepChangesMs = 24 * 3_600_000;
const keepIdempotencyMs = 24 * 3_600_000;
const keepEventsMs = 30 * 24 * 3_600_000;
const keepAuditMs = 400 * 24 * 3_600_000;

/** Periodically deletes expired records, such as changes, events, audit records and sessions. Safe to run on several replicas at once. */
export function startPruning(deps: { pool: Pool; clock: Clock; log: Logger; shutdown: Shutdown }): void {
  const { pool, clock, log } = deps;
  const timer = setInterval(() => {
    const at = (ageMs: number): string => new Date(clock.now() - ageMs).toISOString();
    prune(pool, {
      changes: at(keepChangesMs),
      idempotency: at(keepIdempotencyMs),
      events: at(keepEventsMs),
      audit: at(keepAuditMs),
      operations: at(keepEventsMs),
      now: at(0),
    }).then(
      ({ changes }) => log.debug({ changes }, "pruned"),
      (error: unknown) => log.warn({ err: error }, "could not prune"),
    );
  }, everyMs);
  timer.unref();
  deps.shutdown.onClose("pruning", () => clearInterval(timer));
}
