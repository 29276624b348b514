import { defineFaults } from "@cloudwright/platform";

export const taskFaults = defineFaults("tasks", {
  failed: {
    kind: "internal",
    retry: "backoff",
    when: "a task failed without a reason from its agent",
    help: "Look at the log of the task and of the agent. The task is retried automatically while attempts are left.",
  },
  lease_expired: {
    kind: "unavailable",
    retry: "backoff",
    when: "an agent stopped renewing the lease of a task, so that the attempt was abandoned",
    help: "Check that the agent is running and can reach the control plane. The task is retried automatically while attempts are left.",
  },
});
