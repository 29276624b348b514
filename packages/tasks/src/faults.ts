import { defineFaults } from "@cloudwright/platform";

export const taskFaults = defineFaults("tasks", {
  failed: {
    kind: "internal",
    retry: "backoff",
    when: "a task failed and its agent gave no reason",
    help: "Look into the task's log and the agent's own; the task is tried again by itself while attempts are left.",
  },
  lease_expired: {
    kind: "unavailable",
    retry: "backoff",
    when: "an agent stopped renewing the lease of a task, so that the attempt was given up",
    help: "Look whether the agent still runs and reaches the control plane; the task is tried again by itself while attempts are left.",
  },
});
