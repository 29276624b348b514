import type { Step, StepResult } from "../engine/step.ts";
import type { FailedReferrer } from "../engine/scope.ts";
import { reconcilerFaults } from "../faults.ts";

/** Waits until every entity that is owned by or links to this one is deleted. */
export const referrersGone: Step = {
  name: "children",
  condition: "ChildrenGone",
  weight: 0,
  decide({ referrers }) {
    if (referrers.count === 0) return { do: "continue" };
    if (referrers.failed.length > 0) return stopFor(referrers.failed);
    const more = referrers.count > referrers.some.length ? ` and ${referrers.count - referrers.some.length} more` : "";
    const verb = referrers.count === 1 ? "is" : "are";
    return { do: "wait", reason: "ChildrenRemain", message: `waiting until ${referrers.some.join(", ")}${more} ${verb} deleted` };
  },
};

/** Stops the deletion if a referrer could not be deleted. The deletion resumes once that referrer has been deleted. */
function stopFor(failed: readonly FailedReferrer[]): StepResult {
  const left = failed.map(({ kind, name, message, operation }) => `${kind} "${name}": ${message} (retry or force ${operation})`);
  const names = failed.map(({ kind, name }) => `${kind} "${name}"`).join(", ");
  const { code } = reconcilerFaults.children_failed;
  return {
    do: "stop",
    reason: "ChildrenFailed",
    message: `${names} could not be deleted; this deletion continues once the problem is resolved`,
    code,
    left,
  };
}
