import { Fault } from "@cloudwright/platform";
import { deployerClouds, existingClouds } from "./clouds.ts";
import type { Blueprint } from "./executor/in-process/blueprint.ts";
import { createInProcessExecutor } from "./executor/in-process/in-process-executor.ts";
import { createExistingExecutor } from "./existing/existing-executor.ts";
import type { ServiceExecutor } from "./executor/executor.ts";
import { createTerraformExecutor, type TerraformDeps } from "./executor/terraform/terraform-executor.ts";
import { deployerFaults } from "./faults.ts";
import { directProvisioner } from "./provisioner.ts";
import type { Stack } from "./stack.ts";

/** Stacks and executors that plug-ins add to the built-in ones. */
export interface ExecutorChoices extends TerraformDeps {
  /** Executors from plug-ins. They take precedence over stacks for the same service and cloud. */
  readonly executors?: readonly ServiceExecutor[];
  /** Terraform stacks from plug-ins. They take precedence over the built-in stacks. */
  readonly stacks?: readonly Stack[];
}

const ownStacks: readonly Stack[] = deployerClouds.flatMap(({ stacks }) => stacks);
const ownBlueprints: readonly Blueprint[] = deployerClouds.flatMap(({ blueprints = [] }) => blueprints);

/** Lists the executors of all services and clouds, highest precedence first. */
export function listExecutors(deps: ExecutorChoices): readonly ServiceExecutor[] {
  const stacks = [...(deps.stacks ?? []), ...ownStacks];
  return [
    ...(deps.executors ?? []),
    ...stacks.map((stack) => createTerraformExecutor(deps, stack)),
    ...ownBlueprints.map(createDirectExecutor),
    ...existingClouds.map(([cloud, facts]) => createExistingExecutor(cloud, facts)),
  ];
}

/** An entity that Terraform could build selects the blueprint by its provisioner. Any other entity has no choice. */
function createDirectExecutor(blueprint: Blueprint): ServiceExecutor {
  const { service, cloud } = blueprint;
  const hasStack = ownStacks.some((stack) => stack.service === service && stack.cloud === cloud);
  const name = directProvisioner;
  return createInProcessExecutor(blueprint, hasStack ? { name, provisioner: directProvisioner } : { name });
}

/** The service, cloud and provisioner that an executor must support. */
export interface ExecutorNeeds {
  readonly service: string;
  readonly cloud: string;
  /** The provisioner that the entity's spec selects. */
  readonly provisioner: string;
}

/** Returns the executor for a service in a cloud. Throws if no executor supports the combination. */
export function chooseExecutor(
  executors: readonly ServiceExecutor[],
  { service, cloud, provisioner }: ExecutorNeeds,
): ServiceExecutor {
  const ofService = executors.filter((each) => each.service === service);
  const candidates = ofService.filter((each) => (each.provisioner ?? provisioner) === provisioner);
  const chosen = candidates.find((each) => each.cloud === cloud);
  if (chosen !== undefined) return chosen;
  const clouds = [...new Set(candidates.map((each) => each.cloud))].join(", ");
  const how = ofService.length === candidates.length ? "" : ` by the provisioner "${provisioner}"`;
  throw new Fault(
    deployerFaults.no_stack,
    `the ${service} service is not supported${how} in "${cloud}" yet; supported clouds: ${clouds}`,
  );
}
