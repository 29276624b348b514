import { policyDenied, type Step } from "../engine/step.ts";
import { reconcilerFaults } from "../faults.ts";

/** The policies in force must allow the entity as it is asked for, now and not only when it was asked for. */
export const policyAllows: Step = {
  name: "policy",
  condition: "PolicyAllowed",
  weight: 0,
  decide(scope, _work, rules) {
    const denials = rules.findDenials(scope);
    if (denials.length === 0) return { do: "continue" };
    return { do: "stop", reason: policyDenied, message: denials.join("; "), code: reconcilerFaults.denied.code };
  },
};
