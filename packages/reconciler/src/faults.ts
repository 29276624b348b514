import { defineFaults } from "@cloudwright/platform";

export const reconcilerFaults = defineFaults("reconciler", {
  approval_expired: {
    kind: "conflict",
    when: "a plan that requires approval was not approved in time",
    help: "Retry the operation to create a new plan. CLOUDWRIGHT_APPROVAL_TTL sets how long a plan waits for approval.",
  },
  cancelled: {
    kind: "conflict",
    when: "an operation or one of its tasks was cancelled",
    help: "Retry the operation, change the entity, or delete it.",
  },
  children_failed: {
    kind: "conflict",
    when: "an entity cannot be deleted because an entity that depends on it could not be deleted",
    help: "Retry or force the deletion of the entities named in the message. This deletion then continues automatically.",
  },
  denied: {
    kind: "denied",
    when: "a policy denies the entity's spec",
    help: "Change the entity as described in the message, or ask an administrator to change the policy.",
  },
  not_built: {
    kind: "conflict",
    when: "a preview was requested for a new entity whose owner is not built yet",
    help: "Wait until the owner is RUNNING, then request the preview again.",
  },
  plan_outdated: {
    kind: "conflict",
    when: "the Terraform state changed after every plan of an operation, so none could be applied",
    help: "Use `cloud state versions` to find out what changes the state, then retry the operation.",
  },
  repair_not_started: {
    kind: "unavailable",
    when: "no agent started the adoption or removal of a resource in time, so the platform gave up on the request",
    help: "Check with `cloud agent list` that a suitable agent is connected, then send the request again.",
  },
  run_discarded: {
    kind: "conflict",
    when: "a user discarded a run's plan",
    help: "Change the entity, or retry the operation to create a new plan.",
  },
  unexplained: {
    kind: "internal",
    when: "a task failed and its agent reported no reason",
    help: "Read the task's log with `cloud operation logs`, and the agent's own log.",
  },
});
