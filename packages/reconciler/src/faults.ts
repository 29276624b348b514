import { defineFaults } from "@cloudwright/platform";

export const reconcilerFaults = defineFaults("reconciler", {
  approval_expired: {
    kind: "conflict",
    when: "a plan that needs a person's approval was not approved in time",
    help: "Retry the operation to plan again. CLOUDWRIGHT_APPROVAL_TTL sets how long a plan waits for approval.",
  },
  cancelled: {
    kind: "conflict",
    when: "an operation or one of its tasks was cancelled",
    help: "Retry the operation, change the entity, or delete it.",
  },
  children_failed: {
    kind: "conflict",
    when: "an entity cannot be deleted because an entity that belongs or links to it could not be deleted",
    help: "Retry or force the deletion of the named entities; this deletion continues automatically afterwards.",
  },
  denied: {
    kind: "denied",
    when: "a policy does not allow the spec of the entity",
    help: "Change the entity as the message says, or ask an administrator to change the policy.",
  },
  not_built: {
    kind: "conflict",
    when: "a preview of a new entity was requested, but the entity that it would belong to is not built",
    help: "Wait until that entity is RUNNING, then request the preview again.",
  },
  plan_outdated: {
    kind: "conflict",
    when: "the Terraform state changed after each of an operation's plans, so none could be applied",
    help: "Find out who changes the state with `cloud state versions`, then retry the operation.",
  },
  run_discarded: {
    kind: "conflict",
    when: "a person discarded the plan of a run",
    help: "Change the entity, or retry the operation to plan again.",
  },
  unexplained: {
    kind: "internal",
    when: "a task failed and its agent reported no reason",
    help: "Read the task's log with `cloud operation logs`, and the agent's own log.",
  },
});
