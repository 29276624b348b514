import { defineFaults } from "@cloudwright/platform";

/** What can go wrong between us and a cluster's API. */
export const kubeFaults = defineFaults("kube", {
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "a cluster's API does not answer, answers that it is not ready, or its certificate is not signed by the cluster's authority",
    help: "Check the agent's way to the address that the message names; an API that is private is reached from inside its network only.",
  },
  denied: {
    kind: "denied",
    when: "a cluster's API refuses what we prove ourselves with, or does not allow what was asked",
    help: "Give the agent's identity the rights in the cluster that the message names.",
  },
  not_found: {
    kind: "not_found",
    when: "an object that has to be there is not, or the cluster serves no such kind",
    help: "Look whether somebody has removed it, or whether what defines its kind is installed.",
  },
  conflict: {
    kind: "conflict",
    when: "an object was changed by somebody else meanwhile, or exists already",
    help: "Try again.",
  },
  owned_by_others: {
    kind: "conflict",
    when: "a field that is to be set belongs to another manager: nothing of others is taken over",
    help: "Let the manager that the message names give the field up, or leave the field to it.",
  },
  invalid: {
    kind: "invalid",
    when: "a cluster's API refuses an object or a request",
    help: "Correct what the message names.",
  },
  busy: {
    kind: "exhausted",
    retry: "backoff",
    when: "a cluster's API asks us to come back later",
    help: "Nothing: it is tried again.",
  },
  not_in_time: {
    kind: "unavailable",
    retry: "backoff",
    when: "a cluster did not come to the state that was waited for",
    help: "Look at what the message names: its events and conditions say what it waits for.",
  },
  bad_answer: {
    kind: "internal",
    when: "a cluster's API answers with what is no answer of Kubernetes",
    help: "Check whether the address is that of a Kubernetes API and no proxy stands in between.",
  },
});
