import type { DirectRun } from "@cloudwright/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import type { ResourceType } from "../executor/in-process/blueprint.ts";
import type { ExecutorWork } from "../executor/executor.ts";
import { createCallBudget } from "./call-budget.ts";
import { chooseParallelism } from "./choose-parallelism.ts";

/**
 * Opens the resource types with these names in the account's cloud. All of them share one limit on concurrent calls, which the control
 * plane sets for the task.
 */
export async function openTypes(
  { task, account, session }: Pick<ExecutorWork, "task" | "account" | "session">,
  names: readonly string[],
  options: Pick<DirectRun, "machine"> = {},
): Promise<readonly ResourceType[]> {
  const cloud = await session.openCloud();
  const { uid: entityUid } = task.payload.entity;
  const budget = createCallBudget(chooseParallelism(task.payload));
  const parts = await cloud.openDirect?.({ entityUid, budget, log: (line) => task.log(line), ...options });
  return names.map((name) => {
    const part = parts?.get(name);
    if (part !== undefined) return part;
    throw new Fault(
      deployerFaults.not_supported,
      `account "${account.name}" does not support the provisioner "direct", because its cloud has no resources of type ${name}; use the provisioner "terraform"`,
    );
  });
}
