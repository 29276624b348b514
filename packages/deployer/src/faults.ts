import { defineFaults } from "@cloudwright/platform";

/** What can go wrong between an entity and a run. */
export const deployerFaults = defineFaults("deployer", {
  bad_spec: {
    kind: "invalid",
    when: "an entity asks for something that its cloud cannot have",
    help: "Change the entity's spec as the message says.",
  },
  not_supported: {
    kind: "invalid",
    when: "an entity asks for something that this release cannot build",
    help: "Leave it out, or wait for a release that can.",
  },
  no_credentials: {
    kind: "denied",
    when: "an account is a real one, and this release has no way yet to hand an account's credentials to a run",
    help: "Make the account with `simulated: true`; credentials come with the next release.",
  },
  no_stack: {
    kind: "not_found",
    when: "there is no configuration for a kind of entity in a cloud, or not in the wanted version",
    help: "Choose a cloud that the message names, or give the agent an `infra` folder that has the configuration.",
  },
  bad_stack: {
    kind: "internal",
    when: "a configuration's stack.json is missing or is not one",
    help: "Correct the file that the message names.",
  },
  bad_outputs: {
    kind: "internal",
    when: "a configuration's outputs are not those that its kind of entity has",
    help: "Correct the outputs of the configuration that the message names; what was built is in the state.",
  },
  would_replace: {
    kind: "conflict",
    when: "an apply would make anew or take away what holds data or traffic, which nobody has asked for",
    help: "Undo what was changed outside, or delete the entity and create it again when that is what is wanted.",
  },
  state_rescued: {
    kind: "unavailable",
    retry: "backoff",
    when: "a run could not save its state at its end; it was saved afterwards, and what was left to do is done by the next attempt",
    help: "Nothing; if it lasts, check the agent's way to the control plane.",
  },
  state_door: {
    kind: "unavailable",
    retry: "backoff",
    when: "the state door does not answer as one before a run",
    help: "Check the agent's way to the control plane; a proxy in between must let LOCK and UNLOCK through.",
  },
});
