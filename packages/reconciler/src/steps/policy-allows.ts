import { policyDenied, type Step } from "../engine/step.ts";
import { reconcilerFaults } from "../faults.ts";

/** Stops if a current policy denies the spec. Policies may have changed since the request was accepted. */
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
