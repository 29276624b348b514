import { advanceRotations, refreshAgents, type ApiDeps } from "@cloudwright/api";
import type { EngineConfig, Retention, Shutdown } from "@cloudwright/platform";
import { startReconciler } from "@cloudwright/reconciler";
import { createSlotSharing, enforceTimeLimits, pruneAllTasks, pruneTaskLogs, watchLeases } from "@cloudwright/tasks";
import type { Policies } from "./policies.ts";

/** The dependencies of the reconciler and the task loops. */
export interface EngineDeps extends Omit<ApiDeps, "documents" | "keyRing" | "tokens" | "work"> {
  readonly shutdown: Shutdown;
}

const lookAtLeasesMs = 2000;
const lookAtAgentsMs = 5000;
const lookAtKeysMs = 2000;
const lookAtLimitsMs = 5000;
/**
 * How long a project waits for a slot before another project's task is interrupted to free one. During this time, the waiting project gets
 * only slots that become free on their own.
 */
const shareWaitSeconds = 30;
const pruneTasksMs = 10 * 60_000;

export function startEngine(deps: EngineDeps, config: EngineConfig, { findDenials }: Pick<Policies, "findDenials">): void {
  const { resyncMs, driftMs, taskAttempts, parallelism, workers } = config;
  const rules = { findDenials, resyncMs, driftMs, taskAttempts, parallelism };
  const reconciler = startReconciler(deps, { rules, workers, pollMs: 1000, placementMs: 5000 });
  deps.shutdown.onClose("reconciler", () => reconciler.close());
}

/**
 * Releases tasks whose leases expired, refreshes agent status and prunes old tasks and their logs. Safe to run on several replicas
 * concurrently.
 */
export function startTaskWatch(deps: EngineDeps, config: EngineConfig, retention: Pick<Retention, "tasks" | "taskLogs">): void {
  const { pool, log, taskSignal, wakes } = deps;
  const finish = { database: pool, random: () => Math.random() };
  startLoop(deps, "lease watch", lookAtLeasesMs, async () => {
    const { reaped, extended } = await watchLeases(finish, config.leaseSeconds, config.leaseGraceSeconds);
    if (extended > 0) log.info({ leases: extended }, "lease checks were interrupted; extended all leases");
    if (reaped === 0) return;
    log.warn({ tasks: reaped }, "released tasks whose agents stopped renewing their leases");
    taskSignal.notify();
    wakes.notify();
  });
  startLoop(deps, "time limits", lookAtLimitsMs, async () => {
    const { cancelled, fenced } = await enforceTimeLimits(pool, config.taskLimits);
    if (cancelled > 0) log.warn({ tasks: cancelled }, "cancelled tasks that exceeded their time limits");
    if (fenced > 0)
      log.warn({ tasks: fenced }, "agents did not stop cancelled tasks in time; the leases of these tasks are no longer renewed");
    if (cancelled > 0) wakes.notify();
  });
  startSharing(deps, config);
  startLoop(deps, "agents", lookAtAgentsMs, async () => void (await refreshAgents(deps)));
  startLoop(deps, "task pruning", pruneTasksMs, async () => {
    const tasks = retention.tasks === undefined ? 0 : await pruneAllTasks(pool, retention.tasks / 1000);
    const lines = await pruneTaskLogs(pool, retention.taskLogs);
    if (tasks > 0 || lines > 0) log.debug({ tasks, lines }, "pruned tasks");
  });
}

/** Continues the replacement of SSH keys. Safe to run on several replicas concurrently. */
export function startKeyRotations(deps: EngineDeps & Pick<ApiDeps, "keyRing">): void {
  startLoop(deps, "key rotations", lookAtKeysMs, () => advanceRotations(deps));
}

/** Reassigns slots that one project has occupied for a long time to projects that are waiting for slots. */
function startSharing(deps: EngineDeps, { taskTurnSeconds: turnSeconds, projectQuota, accountBudget }: EngineConfig): void {
  if (turnSeconds === undefined) return;
  const sharing = createSlotSharing(deps.pool, { turnSeconds, waitSeconds: shareWaitSeconds, projectQuota, accountBudget });
  startLoop(deps, "slot sharing", lookAtLimitsMs, async () => {
    const tasks = await sharing.interrupt(deps.clock.now());
    if (tasks.length > 0) deps.log.info({ tasks }, "interrupted tasks of projects that use more than their share");
  });
}

function startLoop({ clock, log, shutdown }: EngineDeps, name: string, everyMs: number, work: () => Promise<void>): void {
  const stop = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await work().catch((error: unknown) => log.warn({ err: error, loop: name }, "a background task failed; retrying later"));
      await clock.sleep(everyMs, stop.signal).catch(() => undefined);
    }
  };
  const running = loop();
  shutdown.onClose(name, () => {
    stop.abort();
    return running;
  });
}
