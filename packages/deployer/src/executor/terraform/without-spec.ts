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
 * Returns a subject for retrying a deletion or repair that failed because of an invalid spec. The subject uses variables that every
 * configuration accepts, because the spec can no longer be corrected and the state already lists the resources. Returns undefined if the
 * work failed for another reason.
 */
export function withoutSpec({ payload, log }: DeployerTask, subject: Subject, error: unknown): Subject | undefined {
  if (!(error instanceof Fault) || !refusals.has(error.code)) return undefined;
  const variables = subject.stack.removalVariables?.(payload.entity, payload, subject.configuration.version);
  if (variables === undefined) return undefined;
  log(`the spec is invalid and is ignored for the deletion: ${error.message}`);
  return { ...subject, stack: { ...subject.stack, variables: () => variables } };
}
