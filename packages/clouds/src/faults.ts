import { defineFaults } from "@cloudwright/platform/fault";

export const cloudsFaults = defineFaults("clouds", {
  no_credentials: {
    kind: "denied",
    when: "an account has no credentials, or refers to credentials that its agent does not have",
    help: "Set an access key or a role on the account, or set `agentCredentials: true` and provide credentials on the agent's machine.",
  },
  credentials_refused: {
    kind: "denied",
    when: "the cloud rejects an account's credentials because they are wrong, expired or revoked",
    help: "Set valid credentials on the account, then retry. Existing resources are not changed.",
  },
  role_refused: {
    kind: "denied",
    when: "an account's role cannot be assumed with the credentials of the account or its agent",
    help: "Allow the identity in the role's trust policy. Set the external ID if the policy requires one.",
  },
  wrong_account: {
    kind: "denied",
    when: "an account's credentials belong to a different cloud account than the one in its spec",
    help: "Correct the account ID in the account's spec, or set credentials that belong to that account.",
  },
  not_allowed: {
    kind: "denied",
    when: "an account's credentials are valid but lack a permission",
    help: "Grant the permission named in the message. `cloud account policy` prints all required permissions.",
  },
  not_implemented: {
    kind: "invalid",
    when: "a feature is not implemented for the account's cloud yet",
    help: "Use a real or simulated account of a cloud that supports the feature.",
  },
  service_disabled: {
    kind: "denied",
    when: "an API that a feature needs is not enabled in the account's project or subscription",
    help: "Enable the API named in the message, wait a minute, and retry.",
  },
  throttled: {
    kind: "exhausted",
    retry: "backoff",
    when: "the cloud throttles the platform's calls",
    help: "No action is needed. The call is retried automatically.",
  },
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the cloud's API does not respond",
    help: "Check the agent's network access to the cloud. Set HTTPS_PROXY to use a proxy, and the SDK's own variables to use different endpoints.",
  },
  failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "the cloud returns an error that matches no other code",
    help: "See the message for the cause. The call is retried automatically.",
  },
  not_found: {
    kind: "not_found",
    when: "a cluster, node pool, machine or other resource does not exist in the cloud account",
    help: "Check the name, the region and the account. The library's `list` calls show what exists.",
  },
  quota: {
    kind: "exhausted",
    when: "a quota of the cloud account is used up, or the cloud has no capacity for the machine type in this zone",
    help: "Raise the quota named in the message, delete unused resources, or choose another zone or machine type.",
  },
  conflict: {
    kind: "conflict",
    retry: "backoff",
    when: "the name of a resource is taken, or the resource is being changed or used by something else",
    help: "Choose another name, or retry after the other change has finished.",
  },
  invalid: {
    kind: "invalid",
    when: "a request to a cloud cannot succeed, because a field is missing or has a value that the cloud does not accept",
    help: "Correct the field named in the message.",
  },
  timeout: {
    kind: "unavailable",
    when: "a cluster, node pool or machine did not reach the expected state in time",
    help: "The cloud continues the operation. Wait longer, or check the status in the cloud's console.",
  },
});
