import type { Clock } from "@cloudwright/platform";
import { waitForSignal, type Pool, type Signal } from "@cloudwright/store";
import { finishTasks } from "./finish.ts";
import { findLeaseTurns } from "./lease-turns.ts";
import { requestLeases, type LeaseRequest } from "./lease.ts";
import type { LeasedTask } from "./task.ts";

export interface LongPollDeps {
  readonly pool: Pool;
  readonly signal: Signal;
  readonly clock: Clock;
}

/** Interval for queries without a notification. Delayed tasks become ready without a notification, and notifications can be lost. */
const recheckMs = 1000;

/** Leases tasks, waiting until some are ready or the timeout has passed. If the caller disconnects, leased tasks are handed back. */
export async function leaseOrWait(
  deps: LongPollDeps,
  request: LeaseRequest,
  timeoutMs: number,
  abort: AbortSignal,
): Promise<LeasedTask[]> {
  const endMs = deps.clock.now() + timeoutMs;
  // The caller may have disconnected before its turn.
  const ask = async () => (abort.aborted ? undefined : requestLeases(deps.pool, request));
  for (;;) {
    const since = deps.signal.version();
    const tasks = timeoutMs > 0 ? await findLeaseTurns(deps).take(request, ask) : ((await ask())?.tasks ?? []);
    if (abort.aborted && tasks.length > 0) {
      await returnTasks(deps, tasks);
      return [];
    }
    const leftMs = endMs - deps.clock.now();
    if (tasks.length > 0 || abort.aborted || leftMs <= 0) return tasks;
    await waitForSignal(deps.signal, since, Math.min(leftMs, recheckMs), abort);
  }
}

/** Hands back tasks that never reached their agent. The attempt does not count. */
export async function returnTasks(
  { pool, signal }: Pick<LongPollDeps, "pool" | "signal">,
  tasks: readonly LeasedTask[],
): Promise<void> {
  const outcome = { state: "returned", message: "the agent disconnected before it received the tasks" } as const;
  await finishTasks(
    { database: pool, random: () => 0 },
    tasks.map(({ uid, leaseToken }) => ({ uid, leaseToken, outcome })),
  );
  signal.notify();
}
