import { defineFaults } from "@cloudwright/platform";

export const taskClientFaults = defineFaults("task_client", {
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the control plane could not be reached, or did not respond in time",
    help: "Check CLOUDWRIGHT_SERVER and the network. The agent retries automatically.",
  },
  refused: {
    kind: "denied",
    when: "the control plane rejected this agent, because the agent was deleted or its key has changed",
    help: "Register the agent again: delete its directory, create a token with `cloud agent join-token`, and start the agent with that token.",
  },
  rejected: {
    kind: "invalid",
    when: "the control plane did not understand the agent's request",
    help: "Use the same or an adjacent release for the agent and the control plane.",
  },
  not_joined: {
    kind: "unauthenticated",
    when: "an agent that has not joined yet was started without a join token",
    help: "Create a token with `cloud agent join-token` and pass it in CLOUDWRIGHT_JOIN_TOKEN_FILE or CLOUDWRIGHT_JOIN_TOKEN.",
  },
  join_refused: {
    kind: "denied",
    when: "the control plane did not allow the agent to join, because its token is invalid, used or expired, or its name is already in use",
    help: "Create a new token with `cloud agent join-token`; each token works only once. Use a unique name for the agent.",
  },
  bad_identity: {
    kind: "invalid",
    when: "the agent's identity file cannot be read or is invalid",
    help: "Restore agent.json in the agent's directory, or delete the file and register the agent again with a new join token.",
  },
  already_running: {
    kind: "conflict",
    when: "another agent is using the same directory",
    help: "Stop the other agent, or use a separate CLOUDWRIGHT_AGENT_DIR for this one.",
  },
  no_handler: {
    kind: "invalid",
    retry: "backoff",
    when: "an agent received a task of a type that it has no handler for",
    help: "Start an agent that supports this task type. The task is then assigned to that agent.",
  },
  bad_payload: {
    kind: "invalid",
    when: "a task's payload does not match its version",
    help: "Use the same or an adjacent release for the agent and the control plane.",
  },
  handler_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a task's handler failed unexpectedly",
    help: "The task is retried automatically. If the problem persists, check the task's log and report a bug.",
  },
  child_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a program that a task started exited with an error or was killed by a signal",
    help: "The task is retried automatically. If the problem persists, check the task's log.",
  },
  cancelled: {
    kind: "conflict",
    when: "the task was cancelled",
    help: "Retry the operation if it is still needed.",
  },
  lease_lost: {
    kind: "conflict",
    retry: "backoff",
    when: "the task's lease was not renewed in time, or now belongs to another agent",
    help: "No action is needed. The task is offered again.",
  },
  stopping: {
    kind: "unavailable",
    retry: "backoff",
    when: "the agent is being stopped and the task did not end in time",
    help: "No action is needed. The task is offered to another agent.",
  },
  watchdog_lost: {
    kind: "unavailable",
    retry: "backoff",
    when: "the agent's watchdog has exited, so the agent's programs were stopped",
    help: "No action is needed. A new watchdog is started and the task is offered again.",
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
    help: "Check the addresses in CLOUDWRIGHT_DEPLOYERS, and check that the deployers are running.",
  },
  deployer_denied: {
    kind: "denied",
    retry: "backoff",
    when: "a deployer that runs as a service rejected the agent's token",
    help: "Configure the same token for the agent and the deployer in CLOUDWRIGHT_DEPLOYER_TOKEN_FILE.",
  },
  no_state: {
    kind: "conflict",
    when: "a handler in a deployer service needs a Terraform state, but the agent did not send access to one",
    help: "Use the same release for the agent and the deployer. Only tasks that work on an entity's resources have a state.",
  },
  no_credentials: {
    kind: "conflict",
    when: "a handler in a deployer service needs an account's credentials, but the agent did not send any",
    help: "Use the same release for the agent and the deployer. Simulated accounts have no credentials.",
  },
  bad_listen: {
    kind: "unavailable",
    when: "a deployer cannot listen on its address",
    help: "Choose another address in CLOUDWRIGHT_DEPLOYER_LISTEN, or stop the program that is using this address.",
  },
  demo_failure: {
    kind: "internal",
    retry: "backoff",
    when: "a demo handler failed because an annotation told it to",
    help: "Remove the demo.cloudwright.dev annotation from the entity.",
  },
});
