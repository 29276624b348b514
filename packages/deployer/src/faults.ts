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
    when: "an account is a real one of a cloud whose credentials this release cannot hand to a run",
    help: "Make the account with `simulated: true`, or one of a cloud that the message names.",
  },
  no_stack: {
    kind: "not_found",
    when: "there is no configuration for a kind of entity in a cloud, or not in the wanted version",
    help: "Choose a cloud that the message names, or give the agent an `infra` folder that has the configuration.",
  },
  bad_stack: {
    kind: "internal",
    when: "a configuration's stack.json is missing or is not one, or a stack's own code fails",
    help: "Correct what the message names.",
  },
  bad_outputs: {
    kind: "internal",
    when: "a configuration's outputs are not those that its kind of entity has",
    help: "Correct the outputs of the configuration that the message names; what was built is in the state.",
  },
  no_upgrade: {
    kind: "conflict",
    when: "an entity asks for a version of its configuration that its present one cannot become at once",
    help: "Ask for the versions that the message names, one after the other, or stay on the present one.",
  },
  bad_overrides: {
    kind: "invalid",
    when: "an entity's overrides hold what an override must not: they are code that runs on agents",
    help: "Change `spec.infra.overrides` as the message says.",
  },
  preflight_failed: {
    kind: "conflict",
    when: "something would keep an entity from being built, found before anything was made; the message names all of it",
    help: "Mend everything that the message names, then retry.",
  },
  no_plan: {
    kind: "invalid",
    when: "an apply comes without the plan that it is to apply",
    help: "Let the control plane and its agents be of the same release; the entity is planned anew by a retry.",
  },
  plan_gone: {
    kind: "gone",
    when: "the plan that is to be applied was handed out before, was discarded, or is none of this agent's: a plan that was begun is never begun again",
    help: "Nothing: it is planned anew, and what an interrupted apply has made is taken over then.",
  },
  plan_not_approved: {
    kind: "conflict",
    when: "an apply asks for a plan that waits for a person's approval",
    help: "Approve or discard the run.",
  },
  plan_too_large: {
    kind: "exhausted",
    when: "a plan is larger than the control plane takes",
    help: "Split the entity, or raise CLOUDWRIGHT_STATE_MIB of the control plane.",
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
