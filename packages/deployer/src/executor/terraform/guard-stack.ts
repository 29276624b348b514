import { describeError, Fault, type FaultDefinition } from "@cloudwright/platform";
import type { TerraformOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { Stack } from "../../stack.ts";
import type { DeployedAccount, DeployerTask, Json, JsonObject } from "../../task.ts";

/** Renders a stack's variables for a task. Converts unexpected errors to `deployer.bad_stack`. */
export function renderVariables(
  stack: Stack,
  task: DeployerTask,
  account: DeployedAccount,
  version: string,
  observed?: JsonObject,
): Readonly<Record<string, Json>> {
  const around = observed === undefined ? task.payload : { ...task.payload, observed };
  return guard(stack, deployerFaults.bad_stack, () => stack.variables(task.payload.entity, account, around, version));
}

/** Returns the status that the stack derives from Terraform's outputs. Converts unexpected errors to `deployer.bad_outputs`. */
export function readStatus(stack: Stack, outputs: TerraformOutputs): JsonObject {
  return guard(stack, deployerFaults.bad_outputs, () => {
    const status: unknown = stack.status(outputs);
    if (typeof status !== "object" || status === null || Array.isArray(status))
      throw new TypeError("the status is not an object");
    // Throws if the status cannot be represented as JSON. Here the error can still name the Terraform stack.
    return JSON.parse(JSON.stringify(status)) as JsonObject;
  });
}

function guard<Result>({ service, cloud }: Stack, otherwise: FaultDefinition, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(otherwise, `the ${service} stack for ${cloud} failed: ${describeError(error)}`, { cause: error });
  }
}
