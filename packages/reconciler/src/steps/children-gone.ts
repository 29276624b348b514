import type { Step, StepResult } from "../engine/step.ts";
import type { FailedChild } from "../engine/scope.ts";
import { reconcilerFaults } from "../faults.ts";

/** Children go before what they lie in. */
export const childrenGone: Step = {
  name: "children",
  condition: "ChildrenGone",
  weight: 0,
  decide({ children }) {
    if (children.count === 0) return { do: "continue" };
    if (children.failed.length > 0) return stopFor(children.failed);
    const more = children.count > children.some.length ? ` and ${children.count - children.some.length} more` : "";
    const verb = children.count === 1 ? "is" : "are";
    return { do: "wait", reason: "ChildrenRemain", message: `waits until ${children.some.join(", ")}${more} ${verb} gone` };
  },
};

/** A deletion always ends: also when it ends with what is left below. It goes on by itself once that is gone. */
function stopFor(failed: readonly FailedChild[]): StepResult {
  const left = failed.map(({ kind, name, message, operation }) => `${kind} "${name}": ${message} (retry or force ${operation})`);
  const names = failed.map(({ kind, name }) => `${kind} "${name}"`).join(", ");
  const { code } = reconcilerFaults.children_failed;
  return {
    do: "stop",
    reason: "ChildrenFailed",
    message: `${names} could not be deleted; this goes on once they are gone`,
    code,
    left,
  };
}
