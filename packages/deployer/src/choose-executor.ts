import { Fault } from "@cloudwright/platform";
import { deployerClouds } from "./clouds.ts";
import type { ServiceExecutor } from "./executor/executor.ts";
import { createTerraformExecutor, type TerraformDeps } from "./executor/terraform/terraform-executor.ts";
import { deployerFaults } from "./faults.ts";
import type { Stack } from "./stack.ts";

/** Stacks and executors that plug-ins add to the built-in ones. */
export interface ExecutorChoices extends TerraformDeps {
  /** Executors from plug-ins. They take precedence over stacks for the same service and cloud. */
  readonly executors?: readonly ServiceExecutor[];
  /** Terraform stacks from plug-ins. They take precedence over the built-in stacks. */
  readonly stacks?: readonly Stack[];
}

const ownStacks: readonly Stack[] = deployerClouds.flatMap(({ stacks }) => stacks);

/** Lists the executors of all services and clouds, highest precedence first. */
export function listExecutors(deps: ExecutorChoices): readonly ServiceExecutor[] {
  const stacks = [...(deps.stacks ?? []), ...ownStacks];
  return [...(deps.executors ?? []), ...stacks.map((stack) => createTerraformExecutor(deps, stack))];
}

/** Returns the executor for a service in a cloud. Throws if no executor supports the combination. */
export function chooseExecutor(executors: readonly ServiceExecutor[], service: string, cloud: string): ServiceExecutor {
  const candidates = executors.filter((each) => each.service === service);
  const chosen = candidates.find((each) => each.cloud === cloud);
  if (chosen !== undefined) return chosen;
  const clouds = [...new Set(candidates.map((each) => each.cloud))].join(", ");
  throw new Fault(
    deployerFaults.no_stack,
    `the ${service} service is not supported in "${cloud}" yet; supported clouds: ${clouds}`,
  );
}
