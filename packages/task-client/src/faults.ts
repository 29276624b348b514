import { defineFaults } from "@cloudwright/platform";

/** What can go wrong in an agent and on its way to the server. */
export const taskClientFaults = defineFaults("task_client", {
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the control plane could not be reached, or did not answer in time",
    help: "Check CLOUDWRIGHT_SERVER and the network; the agent keeps trying by itself.",
  },
  refused: {
    kind: "denied",
    when: "the control plane does not take calls of this agent: it was deleted, or its key is not the one that joined",
    help: "Let it join again: remove its directory, ask for a join token with `cloud agent join-token` and start it with that.",
  },
  rejected: {
    kind: "invalid",
    when: "the control plane does not understand what the agent says",
    help: "Run agent and control plane of the same release, or of neighbouring ones.",
  },
  not_joined: {
    kind: "unauthenticated",
    when: "an agent without an identity was started without a join token",
    help: "Ask for a token with `cloud agent join-token` and give it by CLOUDWRIGHT_JOIN_TOKEN_FILE or CLOUDWRIGHT_JOIN_TOKEN.",
  },
  join_refused: {
    kind: "denied",
    when: "the control plane did not let the agent join: its token is unknown, used or expired, or the name is taken",
    help: "Ask for a new token with `cloud agent join-token`; each works once. Give the agent a name of its own.",
  },
  bad_identity: {
    kind: "invalid",
    when: "the agent's identity file cannot be read or is not one",
    help: "Restore agent.json in the agent's directory, or remove it and let the agent join again.",
  },
  already_running: {
    kind: "conflict",
    when: "another agent runs with the same directory",
    help: "Stop the other one, or give this one a CLOUDWRIGHT_AGENT_DIR of its own.",
  },
  no_handler: {
    kind: "invalid",
    retry: "backoff",
    when: "an agent was given a task of a type that it has no handler for",
    help: "Start an agent that can do this type of task; another one will be offered it.",
  },
  bad_payload: {
    kind: "invalid",
    when: "a task's payload is not one of the version it says it is",
    help: "Run agent and control plane of the same release, or of neighbouring ones.",
  },
  handler_failed: {
    kind: "internal",
    retry: "backoff",
    when: "the code that does a task failed in a way that it does not expect itself",
    help: "It is tried again. If it lasts, read the task's log and report it.",
  },
  child_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a program that a task had started ended with an error or by a signal",
    help: "It is tried again. If it lasts, read the task's log.",
  },
  cancelled: {
    kind: "conflict",
    when: "the task was asked to stop",
    help: "Retry the operation when it is wanted again.",
  },
  lease_lost: {
    kind: "conflict",
    retry: "backoff",
    when: "the task's lease was not renewed in time, or it belongs to somebody else now",
    help: "Nothing needs to be done: the task is offered again.",
  },
  stopping: {
    kind: "unavailable",
    retry: "backoff",
    when: "the agent is being stopped and the task did not end in time",
    help: "Nothing needs to be done: the task is offered to another agent.",
  },
  watchdog_lost: {
    kind: "unavailable",
    retry: "backoff",
    when: "the watchdog that ends programs of lost leases ended itself, so that programs must not go on",
    help: "Nothing needs to be done: a new watchdog is started and the task is offered again.",
  },
  disk_full: {
    kind: "exhausted",
    retry: "backoff",
    when: "the agent's directory has no room, or cannot be written to",
    help: "Make room in the agent's directory, or give it another with CLOUDWRIGHT_AGENT_DIR.",
  },
  deployer_unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "a deployer that runs as a service could not be reached, or broke off",
    help: "Check the addresses in CLOUDWRIGHT_DEPLOYERS and that the deployers run.",
  },
  deployer_denied: {
    kind: "denied",
    retry: "backoff",
    when: "a deployer that runs as a service refused the agent's token",
    help: "Give agent and deployer the same token by CLOUDWRIGHT_DEPLOYER_TOKEN_FILE.",
  },
  no_state: {
    kind: "conflict",
    when: "a handler in a deployer that runs as a service asks for a Terraform state, and its agent has sent no access to one",
    help: "Let agent and deployer be of the same release; only work that plans, applies, destroys or checks has a state.",
  },
  no_credentials: {
    kind: "conflict",
    when: "a handler in a deployer that runs as a service asks for an account's credentials, and its agent has sent none",
    help: "Let agent and deployer be of the same release; simulated accounts have no credentials.",
  },
  bad_listen: {
    kind: "unavailable",
    when: "a deployer cannot listen at its address",
    help: "Choose another CLOUDWRIGHT_DEPLOYER_LISTEN, or stop who listens there.",
  },
  demo_failure: {
    kind: "internal",
    retry: "backoff",
    when: "a demonstration handler was told to fail",
    help: "Remove the entity's annotation demo.cloudwright.dev/... .",
  },
});
