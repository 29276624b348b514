import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { DeployerTask } from "../../task.ts";
import type { Subject } from "./open-run.ts";

const refusals: ReadonlySet<string> = new Set(
  [deployerFaults.bad_spec, deployerFaults.not_supported, terraformFaults.bad_variables, terraformFaults.condition_failed].map(
    ({ code }) => code,
  ),
);

/**
 * The same with variables that every configuration takes: what goes is in the state, and a spec that cannot be built must not keep it there, since
 * nobody can change it any more. Undefined where the spec is not what a removal failed for.
 */
export function withoutSpec({ payload, log }: DeployerTask, subject: Subject, error: unknown): Subject | undefined {
  if (!(error instanceof Fault) || !refusals.has(error.code)) return undefined;
  const variables = subject.stack.removalVariables?.(payload.entity, payload, subject.configuration.version);
  if (variables === undefined) return undefined;
  log(`what is asked for cannot be built, and goes without that: ${error.message}`);
  return { ...subject, stack: { ...subject.stack, variables: () => variables } };
}
