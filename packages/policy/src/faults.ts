import { defineFaults } from "@cloudwright/platform";

/** Faults in rule files. A subject never causes a fault; it only gets a decision. */
export const policyFaults = defineFaults("policy", {
  bad_rules: {
    kind: "invalid",
    when: "a policy file is invalid",
    help: "Correct the listed problems. Each one names its file, line, column and rule. docs/reference/policy.md describes the format.",
  },
});
