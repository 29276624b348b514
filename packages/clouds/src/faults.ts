import { defineFaults } from "@cloudwright/platform";

/** What can go wrong between us and a cloud. */
export const cloudsFaults = defineFaults("clouds", {
  no_credentials: {
    kind: "denied",
    when: "an account says of no way how its cloud is reached, or the agent has nothing of the way that it names",
    help: "Give the account an access key, a role, or `agentCredentials: true` with credentials on the agent's machine.",
  },
  credentials_refused: {
    kind: "denied",
    when: "the cloud does not take an account's credentials: they are wrong, have expired, or were revoked",
    help: "Give the account credentials that the cloud takes, then retry; what was built stays as it is.",
  },
  role_refused: {
    kind: "denied",
    when: "the role of an account cannot be assumed with what the account or its agent has",
    help: "Let the role's trust policy name who assumes it, and the external id if it asks for one.",
  },
  wrong_account: {
    kind: "denied",
    when: "an account's credentials belong to another account of the cloud than the one that it names",
    help: "Correct `spec.aws.accountId`, or give the account credentials of the one that it names.",
  },
  not_allowed: {
    kind: "denied",
    when: "the credentials of an account are good, and may not do what is needed",
    help: "Allow what the message names; `cloud account iam-policy` shows all that is needed.",
  },
  throttled: {
    kind: "exhausted",
    retry: "backoff",
    when: "the cloud answers no more calls for a while",
    help: "Nothing: it is tried again.",
  },
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "a cloud does not answer",
    help: "Check the agent's way to the cloud; a proxy is taken from HTTPS_PROXY, other addresses from AWS_ENDPOINT_URL.",
  },
  failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "a cloud answers a call with an error that has no name here",
    help: "Do what the message says; it is tried again.",
  },
});
