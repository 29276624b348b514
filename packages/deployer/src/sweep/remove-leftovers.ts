import { describeError, systemClock, type Clock } from "@cloudwright/platform";
import type { Cloud, Leftover } from "../cloud.ts";
import type { DeployerTask } from "../task.ts";

const pauseMs = 3000;

/** How leftovers are removed. */
export interface LeftoverOptions {
  readonly sweepMs: number;
  /** Volumes stay: some of them may be meant to outlive the cluster, and it could not be asked which. */
  readonly spareVolumes?: boolean;
  readonly clock?: Clock;
}

/**
 * After a cluster is gone: removes what it has left in its cloud, known by the cluster's tag, again and again, since some of it only goes after
 * other. Answers what could not be removed, one line each.
 */
export async function removeLeftovers(
  { leftovers }: Pick<Cloud, "leftovers">,
  task: DeployerTask,
  cluster: string,
  { sweepMs, spareVolumes = false, clock = systemClock }: LeftoverOptions,
): Promise<readonly string[]> {
  if (leftovers === undefined) return [];
  const until = clock.now() + sweepMs;
  const isSpared = ({ type }: Leftover): boolean => spareVolumes && type === "aws_ebs_volume";
  for (;;) {
    const found = await leftovers.list(cluster);
    const left = found.filter((each) => !isSpared(each));
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
    if (reasons.size === 0) {
      for (const { type, id } of found.filter(isSpared)) {
        task.log(
          `${type} ${id} stays in the cloud: the cluster could not be asked whether it is to be retained; delete it there if not`,
        );
      }
      return [];
    }
    if (clock.now() + pauseMs > until) return [...reasons].map(([what, why]) => `${what}: ${why}`);
    await clock.sleep(pauseMs, task.signal);
  }
}
