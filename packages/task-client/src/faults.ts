import { defineFaults } from "@cloudwright/platform";

export const taskClientFaults = defineFaults("task_client", {
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the control plane could not be reached, or did not answer in time",
    help: "Check CLOUDWRIGHT_SERVER and the network. The agent retries automatically.",
  },
  refused: {
    kind: "denied",
    when: "the control plane rejects this agent, because it was deleted or its key is not the one with which it joined",
    help: "Register it again: remove its directory, create a token with `cloud agent join-token` and start it with that token.",
  },
  rejected: {
    kind: "invalid",
    when: "the control plane does not understand the agent's request",
    help: "Use the same release for agent and control plane, or neighbouring ones.",
  },
  not_joined: {
    kind: "unauthenticated",
    when: "an agent without an identity was started without a join token",
    help: "Create a token with `cloud agent join-token` and pass it in CLOUDWRIGHT_JOIN_TOKEN_FILE or CLOUDWRIGHT_JOIN_TOKEN.",
  },
  join_refused: {
    kind: "denied",
    when: "the control plane did not let the agent join, because its token is unknown, used or expired, or its name is taken",
    help: "Create a new token with `cloud agent join-token`; each works once. Use a unique name for the agent.",
  },
  bad_identity: {
    kind: "invalid",
    when: "the agent's identity file cannot be read or is invalid",
    help: "Restore agent.json in the agent's directory, or remove it and let the agent join again.",
  },
  already_running: {
    kind: "conflict",
    when: "another agent is using the same directory",
    help: "Stop the other agent, or use a separate CLOUDWRIGHT_AGENT_DIR for this one.",
  },
  no_handler: {
    kind: "invalid",
    retry: "backoff",
    when: "an agent got a task of a type for which it has no handler",
    help: "Start an agent that supports this task type. The task will be offered to it.",
  },
  bad_payload: {
    kind: "invalid",
    when: "a task's payload does not match its version",
    help: "Use the same release for agent and control plane, or neighbouring ones.",
  },
  handler_failed: {
    kind: "internal",
    retry: "backoff",
    when: "the handler of a task failed unexpectedly",
    help: "The task is retried. If the problem persists, read the task's log and report it.",
  },
  child_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a program of a task exited with an error or was killed by a signal",
    help: "The task is retried. If the problem persists, read the task's log.",
  },
  cancelled: {
    kind: "conflict",
    when: "the task was cancelled",
    help: "Retry the operation if it is still needed.",
  },
  lease_lost: {
    kind: "conflict",
    retry: "backoff",
    when: "the lease of the task was not renewed in time, or now belongs to another agent",
    help: "Nothing. The task is offered again.",
  },
  stopping: {
    kind: "unavailable",
    retry: "backoff",
    when: "the agent is being stopped and the task did not end in time",
    help: "Nothing. The task is offered to another agent.",
  },
  watchdog_lost: {
    kind: "unavailable",
    retry: "backoff",
    when: "the watchdog that stops programs of lost leases has exited, so that programs must not continue",
    help: "Nothing. A new watchdog is started and the task is offered again.",
  },
  disk_full: {
    kind: "exhausted",
    retry: "backoff",
    when: "the agent's directory is full or not writable",
    help: "Free space in the agent's directory, or choose another one with CLOUDWRIGHT_AGENT_DIR.",
  },
  deployer_unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "a deployer that runs as a service could not be reached, or the connection was lost",
    help: "Check the addresses in CLOUDWRIGHT_DEPLOYERS and that the deployers are running.",
  },
  deployer_denied: {
    kind: "denied",
    retry: "backoff",
    when: "a deployer that runs as a service rejected the agent's token",
    help: "Give agent and deployer the same token in CLOUDWRIGHT_DEPLOYER_TOKEN_FILE.",
  },
  no_state: {
    kind: "conflict",
    when: "a handler in a deployer service needs a Terraform state, but its agent has sent no access to one",
    help: "Use the same release for agent and deployer. Only tasks that plan, apply, destroy or find drift have a state.",
  },
  no_credentials: {
    kind: "conflict",
    when: "a handler in a deployer service needs an account's credentials, but its agent has sent none",
    help: "Use the same release for agent and deployer. Simulated accounts have no credentials.",
  },
  bad_listen: {
    kind: "unavailable",
    when: "a deployer cannot listen at its address",
    help: "Choose another CLOUDWRIGHT_DEPLOYER_LISTEN, or stop the program that listens there.",
  },
  demo_failure: {
    kind: "internal",
    retry: "backoff",
    when: "a demo handler was told to fail",
    help: "Remove the entity's annotation demo.cloudwright.dev/... .",
  },
});
