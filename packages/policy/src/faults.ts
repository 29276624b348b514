import { defineFaults } from "@cloudwright/platform";

/** What can be wrong with rules; a subject is never at fault here, it is decided on. */
export const policyFaults = defineFaults("policy", {
  bad_rules: {
    kind: "invalid",
    when: "a file of policy rules cannot be used as it is written",
    help: "Correct what the fields name, each with file, line, column and rule; docs/reference/policy.md has the format.",
  },
});
