import { describeError, Fault, type FaultDefinition } from "@cloudwright/platform";
import type { TerraformOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { Stack } from "../../stack.ts";
import type { DeployedAccount, DeployerTask, Json, JsonObject } from "../../task.ts";

/** Renders a stack's variables for a task. Errors in the code of a stack become `deployer.bad_stack`. */
export function renderVariables(
  stack: Stack,
  task: DeployerTask,
  account: DeployedAccount,
  version: string,
): Readonly<Record<string, Json>> {
  return guard(stack, deployerFaults.bad_stack, () => stack.variables(task.payload.entity, account, task.payload, version));
}

/** Returns the status that a stack reads from Terraform's outputs. Errors in the code of a stack become `deployer.bad_outputs`. */
export function readStatus(stack: Stack, outputs: TerraformOutputs): JsonObject {
  return guard(stack, deployerFaults.bad_outputs, () => {
    const status: unknown = stack.status(outputs);
    if (typeof status !== "object" || status === null || Array.isArray(status))
      throw new TypeError("the status is not an object");
    // A value that is not JSON fails here, where the stack is known, and not when the outcome is sent.
    return JSON.parse(JSON.stringify(status)) as JsonObject;
  });
}

function guard<Result>({ service, cloud }: Stack, otherwise: FaultDefinition, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(otherwise, `the stack of a ${service} in ${cloud} failed: ${describeError(error)}`, { cause: error });
  }
}
