import { defineFaults } from "@cloudwright/platform";

/** Faults in rule files. A subject never causes a fault; it only gets a decision. */
export const policyFaults = defineFaults("policy", {
  bad_rules: {
    kind: "invalid",
    when: "a file of policy rules is invalid",
    help: "Correct the listed problems; each names its file, line, column and rule. docs/reference/policy.md describes the format.",
  },
});
