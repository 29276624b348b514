import { defineFaults } from "@cloudwright/platform";

export const cloudsFaults = defineFaults("clouds", {
  no_credentials: {
    kind: "denied",
    when: "an account gives no credentials, or the agent lacks the credentials that the account refers to",
    help: "Give the account an access key, a role, or `agentCredentials: true` with credentials on the agent's machine.",
  },
  credentials_refused: {
    kind: "denied",
    when: "the cloud rejects an account's credentials: they are wrong, have expired, or were revoked",
    help: "Give the account valid credentials, then retry. Existing resources are not changed.",
  },
  role_refused: {
    kind: "denied",
    when: "an account's role cannot be assumed with the credentials of the account or its agent",
    help: "Allow the identity in the role's trust policy, and set the external id if the policy requires one.",
  },
  wrong_account: {
    kind: "denied",
    when: "an account's credentials belong to another cloud account than the one that its spec names",
    help: "Correct the account id in the account's spec, or give the account credentials of that cloud account.",
  },
  not_allowed: {
    kind: "denied",
    when: "an account's credentials are valid but lack a permission",
    help: "Grant the permission that the message names. `cloud account iam-policy` prints all required permissions.",
  },
  not_implemented: {
    kind: "invalid",
    when: "the platform does not support something for the account's cloud yet",
    help: "Use a cloud that supports it, or a simulated account of one.",
  },
  throttled: {
    kind: "exhausted",
    retry: "backoff",
    when: "the cloud rejects calls because there are too many",
    help: "No action is needed: the call is retried.",
  },
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the cloud's API does not respond",
    help: "Check the agent's network access to the cloud. HTTPS_PROXY sets a proxy; the SDKs' own variables set other endpoints.",
  },
  failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "the cloud returns an error that has no code of its own here",
    help: "Follow the message. The call is retried.",
  },
});
