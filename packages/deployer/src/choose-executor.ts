import { Fault } from "@cloudwright/platform";
import { deployerClouds } from "./clouds.ts";
import type { ServiceExecutor } from "./executor/executor.ts";
import { createTerraformExecutor, type TerraformDeps } from "./executor/terraform/terraform-executor.ts";
import { deployerFaults } from "./faults.ts";
import type { Stack } from "./stack.ts";

/** The stacks and executors that an agent adds to the product's own. */
export interface ExecutorChoices extends TerraformDeps {
  /** Executors of plug-ins. They take precedence over every stack of the same service and cloud. */
  readonly executors?: readonly ServiceExecutor[];
  /** Terraform stacks of plug-ins. They take precedence over the product's own. */
  readonly stacks?: readonly Stack[];
}

const ownStacks: readonly Stack[] = deployerClouds.flatMap(({ stacks }) => stacks);

/** Lists the executors of all services and clouds, in order of precedence. */
export function listExecutors(deps: ExecutorChoices): readonly ServiceExecutor[] {
  const stacks = [...(deps.stacks ?? []), ...ownStacks];
  return [...(deps.executors ?? []), ...stacks.map((stack) => createTerraformExecutor(deps, stack))];
}

/** Chooses the executor for a service in a cloud. Throws if there is none. */
export function chooseExecutor(executors: readonly ServiceExecutor[], service: string, cloud: string): ServiceExecutor {
  const candidates = executors.filter((each) => each.service === service);
  const chosen = candidates.find((each) => each.cloud === cloud);
  if (chosen !== undefined) return chosen;
  const clouds = [...new Set(candidates.map((each) => each.cloud))].join(", ");
  throw new Fault(deployerFaults.no_stack, `a ${service} cannot be built in "${cloud}" yet; supported clouds: ${clouds}`);
}
