import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { DeployerTask } from "../../task.ts";
import type { Subject } from "./subject.ts";

const refusals: ReadonlySet<string> = new Set(
  [deployerFaults.bad_spec, deployerFaults.not_supported, terraformFaults.bad_variables, terraformFaults.condition_failed].map(
    ({ code }) => code,
  ),
);

/**
 * Returns a subject with variables that every configuration accepts, for a removal that failed because of the spec. The resources are in the
 * state, so the spec is not needed, and nobody can correct the spec of an entity that is being deleted. Returns undefined if the removal failed
 * for another reason.
 */
export function withoutSpec({ payload, log }: DeployerTask, subject: Subject, error: unknown): Subject | undefined {
  if (!(error instanceof Fault) || !refusals.has(error.code)) return undefined;
  const variables = subject.stack.removalVariables?.(payload.entity, payload, subject.configuration.version);
  if (variables === undefined) return undefined;
  log(`the spec is invalid and is ignored for the removal: ${error.message}`);
  return { ...subject, stack: { ...subject.stack, variables: () => variables } };
}
