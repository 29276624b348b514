import { defineFaults } from "@cloudwright/platform";

export const reconcilerFaults = defineFaults("reconciler", {
  approval_expired: {
    kind: "conflict",
    when: "a plan that needs a person's approval was not approved in time",
    help: "Retry the operation: it plans again. CLOUDWRIGHT_APPROVAL_TTL says how long an approval is waited for.",
  },
  cancelled: {
    kind: "conflict",
    when: "an operation, or a task of it, was cancelled",
    help: "Retry the operation, change the entity, or delete it.",
  },
  children_failed: {
    kind: "conflict",
    when: "an entity cannot be deleted because something below it could not",
    help: "Retry the deletion of what is named, or force it; the deletion above goes on by itself then.",
  },
  denied: {
    kind: "denied",
    when: "a policy in force does not allow the entity as it is asked for",
    help: "Change the entity as the message says, or have the policy changed.",
  },
  not_built: {
    kind: "conflict",
    when: "a preview asks what would be built in something that is not built itself",
    help: "Wait until what it would lie in is RUNNING, then ask again.",
  },
  plan_outdated: {
    kind: "conflict",
    when: "the Terraform state was changed after each of an operation's plans, so that none could be applied",
    help: "Find out who changes the state (cloud state versions), then retry the operation.",
  },
  run_discarded: {
    kind: "conflict",
    when: "a person discarded the plan of a run",
    help: "Change the entity, or retry the operation, which plans again.",
  },
  unexplained: {
    kind: "internal",
    when: "a task failed and its agent did not say why",
    help: "Look into the task's log (cloud operation logs) and the agent's own.",
  },
});
