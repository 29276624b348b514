import { describeError, systemClock, type Clock } from "@cloudwright/platform";
import type { Cloud } from "../cloud.ts";
import type { DeployerTask } from "../task.ts";

const pauseMs = 3000;

/**
 * After a cluster is gone: removes what it has left in its cloud, known by the cluster's tag, again and again, since some of it only goes after
 * other. Answers what could not be removed, one line each.
 */
export async function removeLeftovers(
  { leftovers }: Pick<Cloud, "leftovers">,
  task: DeployerTask,
  cluster: string,
  { sweepMs, clock = systemClock }: { readonly sweepMs: number; readonly clock?: Clock },
): Promise<readonly string[]> {
  if (leftovers === undefined) return [];
  const until = clock.now() + sweepMs;
  for (;;) {
    const left = await leftovers.list(cluster);
    const reasons = new Map<string, string>();
    for (const [index, { type, id }] of left.entries()) {
      task.signal.throwIfAborted();
      task.progress(95, `${type} ${id}, which the cluster left, is removed, ${index + 1} of ${left.length}`);
      try {
        await leftovers.remove({ type, id });
        task.log(`${type} ${id}, which the cluster left, is removed`);
      } catch (error) {
        reasons.set(`${type} ${id}`, describeError(error));
      }
    }
    if (reasons.size === 0) return [];
    if (clock.now() + pauseMs > until) return [...reasons].map(([what, why]) => `${what}: ${why}`);
    await clock.sleep(pauseMs, task.signal);
  }
}
