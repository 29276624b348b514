import type { SpecProblem } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "./faults.ts";

/**
 * Throws if a spec has problems. The API rejects most of them, but a stored spec may be older than the rule. `what` names the entity in the
 * message.
 */
export function refuseProblems(what: string, problems: readonly SpecProblem[]): void {
  if (problems.length === 0) return;
  const { not_supported: unsupported, bad_spec: bad } = deployerFaults;
  const message = problems.map((problem) => `${problem.field} of ${what} ${problem.message}`).join("; ");
  const fields = problems.map((problem) => ({ field: problem.field, message: problem.message }));
  throw new Fault(problems.every(({ isUnsupported = false }) => isUnsupported) ? unsupported : bad, message, { fields });
}
