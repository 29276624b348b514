import { Fault } from "@cloudwright/platform";
import type { ResourceType } from "../../executor/in-process/blueprint.ts";
import type { ExecutorWork } from "../../executor/executor.ts";
import { deployerFaults } from "../../faults.ts";
import { textOf } from "../../read-spec.ts";

/**
 * Returns a resource type that creates a resource only once for each entity. If its data has disappeared from the machine, an empty resource
 * in its place would hide the loss. `output` is the name of the output that contains the resource's id.
 */
export function refuseLoss(type: ResourceType, { task }: Pick<ExecutorWork, "task">, output: string): ResourceType {
  const { kind, name } = task.payload.entity;
  const lost = textOf(task.payload.outputs[output]);
  if (lost === "") return type;
  return {
    ...type,
    async create() {
      const message = `the data of ${kind} "${name}" (${lost}) no longer exists on the machine, and nothing was created in its place; restore the agent's host folder from a backup, or delete ${kind} "${name}" and create it again`;
      throw new Fault(deployerFaults.data_missing, message);
    },
  };
}
