import { describeError } from "@cloudwright/platform";
import type { ExecutorWork } from "../executor/executor.ts";

/**
 * Returns one line for each resource with the entity's ownership tag that is still in the account after a failed deletion. If the account
 * cannot be reached, returns a single line that says so.
 */
export async function listLeft({ task, session }: Pick<ExecutorWork, "task" | "session">): Promise<readonly string[]> {
  try {
    const cloud = await session.openCloud();
    const owned = await cloud.listOwned(task.payload.entity.uid);
    return owned.map(({ type, id }) => `${type} ${id}`).toSorted();
  } catch (error) {
    return [`unknown resources: the account could not be reached to list the remaining resources (${describeError(error)})`];
  }
}
