import { defineFaults } from "@cloudwright/platform";

export const kubeFaults = defineFaults("kube", {
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "a cluster's API did not respond, is not ready, or has a certificate that the cluster's certificate authority did not sign",
    help: "Check that the agent can reach the address named in the message. A private API endpoint is reachable only from inside its network.",
  },
  denied: {
    kind: "denied",
    when: "a cluster's API rejected the agent's credentials, or the agent's identity is not allowed to make the request",
    help: "In the cluster, grant the agent's identity the permissions named in the message.",
  },
  not_found: {
    kind: "not_found",
    when: "a required object does not exist, or the cluster does not serve its kind",
    help: "Check whether someone deleted the object, and whether the software that defines its kind is installed.",
  },
  conflict: {
    kind: "conflict",
    when: "another client changed the object in the meantime, or the object already exists",
    help: "Try again.",
  },
  owned_by_others: {
    kind: "conflict",
    when: "a field is owned by another field manager, so the platform does not overwrite it",
    help: "Remove the field from the configuration of the manager named in the message, or do not set the field here.",
  },
  invalid: {
    kind: "invalid",
    when: "a cluster's API rejected an object or a request as invalid",
    help: "Correct the fields that the message names.",
  },
  busy: {
    kind: "exhausted",
    retry: "backoff",
    when: "a cluster's API is overloaded and asked the agent to retry later",
    help: "No action is needed. The request is retried automatically.",
  },
  too_large: {
    kind: "exhausted",
    when: "a cluster's API returned more data than an agent reads at a time",
    help: "Find out why the cluster has so many objects of the kind named in the message, or why they are so large, and delete those that are not needed.",
  },
  not_in_time: {
    kind: "unavailable",
    retry: "backoff",
    when: "a cluster did not reach the expected state before the deadline",
    help: "Check the object that the message names. Its events and conditions show what it is waiting for.",
  },
  bad_answer: {
    kind: "internal",
    when: "a cluster's API returned a response that is not a Kubernetes response",
    help: "Check that the address belongs to a Kubernetes API and that no proxy intercepts the connection.",
  },
});
