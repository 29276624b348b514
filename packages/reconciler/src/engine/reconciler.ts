import { hasLinks } from "@cloudwright/contract";
import { backOffMs, type Clock, type Logger } from "@cloudwright/platform";
import {
  adoptDue,
  claimDue,
  releaseDue,
  settleDue,
  waitForSignal,
  wakeEntities,
  type DueEntity,
  type Pool,
  type Signal,
  type Versions,
} from "@cloudwright/store";
import { listLiveAgents, listUnplaceable, type LiveAgent } from "@cloudwright/tasks";
import { lifecycles } from "../lifecycles.ts";
import type { Rules } from "./step.ts";
import { placeableAfterMs } from "./placement.ts";
import { reconcileEntities, type FailedPass, type ReconcileDeps } from "./reconcile-entity.ts";

export interface ReconcilerDeps {
  readonly pool: Pool;
  readonly versions: Versions;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wakes: Signal;
  readonly taskSignal: Signal;
  readonly feed: { poke(): void };
}

export interface ReconcilerOptions {
  readonly rules: Rules;
  /** Number of batches handled concurrently. Each batch contains up to 16 entities. */
  readonly workers: number;
  /** Interval at which the reconciler polls for due entities, in case a notification was lost. */
  readonly pollMs: number;
  /** Interval between checks for tasks that no agent can run. */
  readonly placementMs: number;
}

/** Drives entities toward their specs. Several reconcilers can share one database, because each claims entities before working on them. */
export interface Reconciler {
  close(): Promise<void>;
}

/** Duration of a claim. After that, other processes can take over the entities of a process that died. */
const holdSeconds = 15;
/** Maximum number of entities per batch. A larger batch would save little and hold its locks longer. */
const mostTogether = 16;
/** Interval at which the reconciler schedules passes for entities that have none. It also does so at startup. */
const adoptEveryMs = 3_600_000;
/** Maximum number of unplaceable tasks to report at a time. */
const mostUnplaceable = 20_000;
const retryMs = 500;
const backOff = { firstMs: 500, longestMs: 300_000 };

export function startReconciler(deps: ReconcilerDeps, options: ReconcilerOptions): Reconciler {
  const { pool, log, clock, wakes } = deps;
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  // Claims that must be released as soon as the database is available again.
  let dropped: string[] = [];
  // Number of consecutive failed passes per entity.
  const failures = new Map<string, number>();
  const kinds = Object.keys(lifecycles);
  const listAgents = createAgentList(deps);
  const reconcile: ReconcileDeps = {
    ...deps,
    lifecycles,
    hasLinks,
    kinds,
    listAgents,
    rules: options.rules,
  };

  /** Starts one batch of due entities. Returns false if fewer entities were due than a batch can hold. */
  const work = async (): Promise<boolean> => {
    if (dropped.length > 0) {
      await releaseDue(pool, dropped);
      dropped = [];
    }
    const claimed = await claimDue(pool, mostTogether, holdSeconds);
    if (claimed.length === 0) return false;
    const pass: Promise<void> = reconcileEntities(reconcile, claimed)
      .then((failed) => settleFailed(claimed, failed))
      .finally(() => void running.delete(pass));
    running.add(pass);
    return claimed.length === mostTogether;
  };
  /** Delays the next pass of entities whose last pass failed, with exponential backoff, so that they do not delay others. */
  const settleFailed = async (claimed: readonly DueEntity[], failed: readonly FailedPass[]): Promise<void> => {
    const uids = new Set(failed.map(({ due }) => due.uid));
    for (const { uid } of claimed) if (!uids.has(uid)) failures.delete(uid);
    for (const { due, error } of failed) {
      const count = (failures.get(due.uid) ?? 0) + 1;
      failures.set(due.uid, count);
      log.warn({ err: error, uid: due.uid, failed: count }, "could not reconcile an entity; retrying");
      await settleDue(pool, due, backOffMs(backOff, count - 1) / 1000).catch(() => void dropped.push(due.uid));
    }
  };
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const since = wakes.version();
      try {
        const isMore = await work();
        // Wait for a free worker before claiming more. Entities that become due in the meantime share the next batch, and large batches
        // cost less per entity.
        while (running.size >= options.workers) await Promise.race(running);
        if (!isMore) await waitForSignal(wakes, since, options.pollMs, stop.signal);
      } catch (error) {
        if (stop.signal.aborted) return;
        log.warn({ err: error }, "could not claim due entities; retrying");
        await clock.sleep(retryMs, stop.signal).catch(() => undefined);
      }
    }
  };
  const resync = Math.max(...Object.values(options.rules.resyncMs), 60_000);
  const loops = [
    loop(),
    repeat({ log, stop: stop.signal, clock }, adoptEveryMs, () => adoptDue(pool, kinds, resync / 1000)),
    repeat({ log, stop: stop.signal, clock }, options.placementMs, createPlacementWatch(deps, listAgents)),
  ];
  return {
    async close() {
      stop.abort();
      await Promise.all(loops);
      await Promise.all(running);
    },
  };
}

/** Lists recently seen agents. The result is cached for two seconds. */
function createAgentList({ pool, clock }: ReconcilerDeps): () => Promise<readonly LiveAgent[]> {
  let known: { readonly atMs: number; readonly agents: Promise<readonly LiveAgent[]> } | undefined;
  return () => {
    if (known === undefined || Math.abs(clock.now() - known.atMs) > 2000)
      known = { atMs: clock.now(), agents: listLiveAgents(pool) };
    return known.agents.catch((error: unknown) => {
      known = undefined;
      throw error;
    });
  };
}

/**
 * Wakes an entity when no agent can run its task, so that a condition reports the problem. Wakes it again when an agent can run the task.
 */
function createPlacementWatch(
  { pool, wakes }: ReconcilerDeps,
  listAgents: () => Promise<readonly LiveAgent[]>,
): () => Promise<void> {
  // Entity uids keyed by task uid, for tasks already reported as unplaceable.
  let told = new Map<string, string>();
  return async () => {
    // Each task wakes its entity only once, when the task has been ready long enough for a pass to report the problem.
    const tasks = await listUnplaceable(pool, await listAgents(), mostUnplaceable, placeableAfterMs / 1000);
    const unplaceable = new Map(tasks.map(({ uid, entityUid }) => [uid, entityUid]));
    const news = [...leaveOut(unplaceable, told), ...leaveOut(told, unplaceable)];
    told = unplaceable;
    if (news.length === 0) return;
    await wakeEntities(pool, news);
    wakes.notify();
  };
}

function leaveOut(entities: ReadonlyMap<string, string>, known: ReadonlyMap<string, string>): string[] {
  return [...entities].filter(([task]) => !known.has(task)).map(([, entity]) => entity);
}

async function repeat(
  deps: { readonly log: Logger; readonly stop: AbortSignal; readonly clock: Clock },
  everyMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!deps.stop.aborted) {
    await work().catch((error: unknown) =>
      deps.log.warn({ err: error }, "a periodic job of the reconciler failed; retrying later"),
    );
    await deps.clock.sleep(everyMs, deps.stop).catch(() => undefined);
  }
}
