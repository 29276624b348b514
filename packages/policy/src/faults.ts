import { defineFaults } from "@cloudwright/platform";

/** Faults in rule files. Evaluating a subject never causes a fault: it always results in a decision. */
export const policyFaults = defineFaults("policy", {
  bad_rules: {
    kind: "invalid",
    when: "a policy file is invalid",
    help: "Correct the listed problems. Each one names its file, line, column and rule. docs/reference/policy.md describes the format.",
  },
});
