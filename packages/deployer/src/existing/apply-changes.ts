import type { CloudLibrary } from "@cloudwright/clouds";
import { Fault } from "@cloudwright/platform";
import { drainPool } from "../direct/drain-pool.ts";
import type { ExecutorWork } from "../executor/executor.ts";
import { judgeFailures, type PoolFailure, type PoolProblem } from "../executor/pool-problem.ts";
import { deployerFaults } from "../faults.ts";
import type { ExistingChange } from "./plan-changes.ts";
import { findOwner } from "./read-cluster.ts";

/**
 * Applies the changes of a plan one after another. Changes that an interrupted run has already made are not repeated. If a change to a pool
 * fails, the changes to other pools continue. Returns the pools that could not be changed.
 */
export async function applyChanges(
  library: CloudLibrary,
  work: ExecutorWork,
  { cluster, changes }: { readonly cluster: string; readonly changes: readonly ExistingChange[] },
): Promise<readonly PoolProblem[]> {
  const { task } = work;
  const failures = new Map<string, PoolFailure>();
  for (const [index, change] of changes.entries()) {
    task.signal.throwIfAborted();
    // The further changes of a pool build on the failed one.
    if (change.do !== "upgrade" && failures.has(change.pool)) continue;
    const what = `${change.do === "upgrade" ? "cluster" : change.pool}: ${change.do}`;
    task.progress(10 + Math.floor((80 * index) / changes.length), what);
    task.log(`${what} started`);
    try {
      await applyChange(library, work, cluster, change);
    } catch (error) {
      task.log(`${what} failed`);
      if (change.do === "upgrade" || task.signal.aborted) throw error;
      failures.set(change.pool, { pool: change.pool, error: withoutHint(error) });
      continue;
    }
    task.log(`${what} finished`);
  }
  return judgeFailures(task, [...failures.values()]);
}

/** Returns the cloud's own fault. The library adds how to delete what stays, but the platform continues with it. */
function withoutHint(error: unknown): unknown {
  return error instanceof Fault && error.left.length > 0 && error.cause instanceof Fault ? error.cause : error;
}

async function applyChange(library: CloudLibrary, work: ExecutorWork, cluster: string, change: ExistingChange): Promise<void> {
  const { signal } = work.task;
  const ready = { signal, wait: "ready" } as const;
  switch (change.do) {
    case "upgrade":
      await library.upgrade(cluster, { version: change.version, pools: "control-plane" }, { signal });
      return;
    case "upgrade-pool":
      await library.upgrade(cluster, { version: change.version, pools: [change.pool] }, { signal });
      return;
    case "resize": {
      const { pool, count, min, max } = change;
      const limits = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
      if (Object.keys(limits).length > 0) await library.nodePools.update(cluster, pool, limits, ready);
      if (count !== undefined) await library.nodePools.scale(cluster, pool, count, ready);
      return;
    }
    case "label":
      await library.nodePools.update(cluster, change.pool, { labels: change.labels }, ready);
      return;
    case "create-pool":
      await library.nodePools.create(cluster, change.request, { ...ready, token: change.token });
      return;
    case "delete-pool":
      return deletePool(library, work, cluster, change.pool);
  }
}

/** Drains and deletes a pool. Checks again that this entity created it, because the plan may be outdated. */
async function deletePool(
  library: CloudLibrary,
  { task, account, session }: ExecutorWork,
  cluster: string,
  pool: string,
): Promise<void> {
  const { signal, payload } = task;
  const found = (await library.nodePools.list(cluster, { signal })).find(({ name }) => name === pool);
  if (found === undefined) return;
  if (findOwner(found) !== payload.entity.uid)
    throw new Fault(deployerFaults.not_created_here, `the node pool ${pool} was not created for ${payload.entity.name}`);
  const drain = async (nodeLabels: string): Promise<void> =>
    drainPool({ pool, nodeLabels }, await session.openCloud(), { task, account, isRemoval: false });
  await library.nodePools.delete(cluster, pool, { signal, wait: "gone", drain });
}
