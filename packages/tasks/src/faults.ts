import { defineFaults } from "@cloudwright/platform";

export const taskFaults = defineFaults("tasks", {
  failed: {
    kind: "internal",
    retry: "backoff",
    when: "a task failed, and its agent reported no reason",
    help: "Check the logs of the task and the agent. The task is retried automatically while attempts remain.",
  },
  lease_expired: {
    kind: "unavailable",
    retry: "backoff",
    when: "an agent stopped renewing a task's lease, so the attempt was abandoned",
    help: "Check that the agent is running and can reach the control plane. The task is retried automatically while attempts remain.",
  },
  too_long: {
    kind: "unavailable",
    when: "a task ran longer than its time limit and was cancelled",
    help: "Check whether a cloud call hangs, then retry the operation, which continues where it stopped. CLOUDWRIGHT_TASK_LIMITS sets the limits.",
  },
});
