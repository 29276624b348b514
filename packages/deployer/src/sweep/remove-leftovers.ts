import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { describeError, systemClock, type Clock } from "@cloudwright/platform";
import type { Cloud, Leftover } from "../cloud.ts";
import type { DeployerTask } from "../task.ts";

const pauseMs = 3000;
const volumeTypes = cloudNames.flatMap((name) => getCloud(name).terraform.volume ?? []);

export interface LeftoverOptions {
  readonly sweepMs: number;
  /** If true, keeps all volumes. Used if the cluster was unreachable, because the volumes to retain are then unknown. */
  readonly spareVolumes?: boolean;
  readonly clock?: Clock;
}

/**
 * Deletes the leftover resources of a deleted cluster. Retries until the deadline, because some resources depend on others. Returns one
 * line for each resource that remains.
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
      task.progress(95, `removing leftover ${type} ${id} (${index + 1} of ${left.length})`);
      try {
        await leftovers.remove({ type, id });
        task.log(`removed leftover ${type} ${id}`);
      } catch (error) {
        reasons.set(`${type} ${id}`, describeError(error));
      }
    }
    if (reasons.size === 0) {
      for (const { type, id } of found.filter(isSpared)) {
        task.log(
          `${type} ${id} is kept, because the unreachable cluster may have marked it as retained; delete it in the cloud if you do not need it`,
        );
      }
      return [];
    }
    if (clock.now() + pauseMs > until) return [...reasons].map(([what, why]) => `${what}: ${why}`);
    await clock.sleep(pauseMs, task.signal);
  }
}
