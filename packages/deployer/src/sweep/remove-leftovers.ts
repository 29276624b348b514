import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { describeError, systemClock, type Clock } from "@cloudwright/platform";
import type { Cloud, Leftover } from "../cloud.ts";
import type { DeployerTask } from "../task.ts";

const pauseMs = 3000;
const volumeTypes = cloudNames.flatMap((name) => getCloud(name).terraform.volume ?? []);

/** Options of a removal. */
export interface LeftoverOptions {
  readonly sweepMs: number;
  /** Keeps volumes. Some may have to outlive the cluster, and the cluster could not be asked which. */
  readonly spareVolumes?: boolean;
  readonly clock?: Clock;
}

/**
 * Removes the leftover resources of a deleted cluster. Repeats until the deadline, because some can be removed only after others. Returns what
 * could not be removed, one line each.
 */
export async function removeLeftovers(
  { leftovers }: Pick<Cloud, "leftovers">,
  task: DeployerTask,
  cluster: string,
  { sweepMs, spareVolumes = false, clock = systemClock }: LeftoverOptions,
): Promise<readonly string[]> {
  if (leftovers === undefined) return [];
  const until = clock.now() + sweepMs;
  const isSpared = ({ type }: Leftover): boolean => spareVolumes && volumeTypes.includes(type);
  for (;;) {
    const found = await leftovers.list(cluster);
    const left = found.filter((each) => !isSpared(each));
    const reasons = new Map<string, string>();
    for (const [index, { type, id }] of left.entries()) {
      task.signal.throwIfAborted();
      task.progress(95, `removing the leftover ${type} ${id}, ${index + 1} of ${left.length}`);
      try {
        await leftovers.remove({ type, id });
        task.log(`removed the leftover ${type} ${id}`);
      } catch (error) {
        reasons.set(`${type} ${id}`, describeError(error));
      }
    }
    if (reasons.size === 0) {
      for (const { type, id } of found.filter(isSpared)) {
        task.log(
          `${type} ${id} is kept: the cluster could not be asked whether it must be retained; delete it in the cloud if not`,
        );
      }
      return [];
    }
    if (clock.now() + pauseMs > until) return [...reasons].map(([what, why]) => `${what}: ${why}`);
    await clock.sleep(pauseMs, task.signal);
  }
}
