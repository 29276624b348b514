import { defineFaults } from "@cloudwright/platform";

export const taskFaults = defineFaults("tasks", {
  lease_expired: {
    kind: "unavailable",
    retry: "backoff",
    when: "an agent stopped renewing the lease of a task, so that the attempt was given up",
    help: "Look whether the agent still runs and reaches the control plane; the task is tried again by itself while attempts are left.",
  },
});
