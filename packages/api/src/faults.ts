import { defineFaults } from "@cloudwright/platform";

export const apiFaults = defineFaults("api", {
  invalid: {
    kind: "invalid",
    when: "fields of the request break a rule of the contract",
    help: "Correct the fields listed under `fields`.",
  },
  bad_json: {
    kind: "invalid",
    when: "the body is not JSON in UTF-8, or is nested too deeply",
    help: "Send one JSON object in UTF-8, at most 64 levels deep.",
  },
  bad_query: {
    kind: "invalid",
    when: "a query parameter is unknown, repeated or has an unusable value",
    help: "Use the parameters that the API reference lists for this operation.",
  },
  bad_filter: {
    kind: "invalid",
    when: "a filter or label selector cannot be parsed or names a field that does not exist",
    help: "Write `path=value` or `path!=value`, separated by commas, with paths such as status.phase; labels as `key=value`.",
  },
  bad_page_token: {
    kind: "invalid",
    when: "a pageToken was not given out by this list",
    help: "Send the nextPageToken of the page before with the same filters and order, or start from the first page.",
  },
  body_too_large: {
    kind: "invalid",
    httpStatus: 413,
    when: "the body is larger than the server accepts",
    help: "Send at most 1 MiB; to /v1/session at most 4 KiB; Terraform states as large as CLOUDWRIGHT_STATE_MIB says.",
  },
  headers_too_large: {
    kind: "invalid",
    httpStatus: 431,
    when: "address and headers together are larger than the server accepts",
    help: "Send a shorter filter, selector or set of headers.",
  },
  bad_request: {
    kind: "invalid",
    when: "what arrived is not an HTTP request, or its path cannot be decoded",
    help: "Speak HTTP/1.1 or HTTP/2 with prior knowledge to this port; percent-encode paths as UTF-8.",
  },
  unsupported_media: {
    kind: "invalid",
    httpStatus: 415,
    when: "the body's Content-Type is not JSON",
    help: "Send application/json, or application/merge-patch+json with PATCH.",
  },
  no_route: {
    kind: "not_found",
    when: "nothing is served at this path",
    help: "Look the path up at /docs or /openapi.json.",
  },
  method_not_allowed: {
    kind: "invalid",
    httpStatus: 405,
    when: "the path exists but not for this HTTP method",
    help: "Use one of the methods in the Allow header.",
  },
  not_found: {
    kind: "not_found",
    when: "the entity or project does not exist, or the caller may not know that it does",
    help: "Check name, uid and project; `cloud list <kind>` shows what there is.",
  },
  unauthenticated: {
    kind: "unauthenticated",
    when: "the request carries no credential, or one that is unknown, expired, revoked or forged",
    help: "Send `Authorization: Bearer <API key or token>`, or sign in again.",
  },
  join_refused: {
    kind: "unauthenticated",
    when: "an agent wants to join with a token that is unknown, was used by another or has run out",
    help: "Make a new token with `cloud agent join-token`; each lets one agent join, within its time.",
  },
  run_ended: {
    kind: "unauthenticated",
    when: "a run wants to read or write a Terraform state or a simulated cloud with a credential that is not for it, or whose task's lease is no longer held",
    help: "Nothing was changed. Whoever holds the task now asks for a credential of its own; a run without a lease must stop.",
  },
  lease_lapsed: {
    kind: "unavailable",
    retry: "backoff",
    when: "a run wants to read or write a Terraform state or a simulated cloud while its task's lease has run out and was not renewed yet",
    help: "Renew the lease and try again.",
  },
  lease_lost: {
    kind: "conflict",
    when: "an agent asks for access to the state of a task that it does not hold",
    help: "Stop working on the task: somebody else may have it.",
  },
  state_locked: {
    kind: "conflict",
    httpStatus: 423,
    when: "a Terraform state is to be locked or changed while a run holds its lock",
    help: "Wait until the run has ended, or cancel its operation; `cloud state unlock --force` takes the lock away from a run that hangs.",
  },
  state_not_held: {
    kind: "conflict",
    when: "a run wants to write or unlock a Terraform state with the id of a lock that it does not hold",
    help: "Run again, with locking on; the lock was never taken or was taken away meanwhile.",
  },
  state_stale: {
    kind: "conflict",
    when: "a run wants to write a Terraform state that does not follow from the newest version: its serial does not grow, or it is of another lineage",
    help: "Run again from the newest version; `cloud state rollback` brings an earlier one back.",
  },
  state_malformed: {
    kind: "invalid",
    when: "what a run wants to write is no Terraform state, or what it sends with a lock is no lock",
    help: "Use the http backend of Terraform or OpenTofu; a state is JSON with a serial and a lineage.",
  },
  state_damaged: {
    kind: "invalid",
    when: "a state does not have the MD5 that was sent with it",
    help: "Send it again; if it stays, look for a proxy that changes bodies.",
  },
  state_sealed: {
    kind: "conflict",
    when: "versions of a state are to be compared that Terraform or OpenTofu encrypted itself",
    help: "Download both with `cloud state pull` and decrypt them with the tool that wrote them.",
  },
  plan_refused: {
    kind: "denied",
    when: "a run wants to keep a plan that is not its own, or to be given one that it was not made to apply",
    help: "A plan is kept by the task that made it and given to the task that names it in its payload.",
  },
  plan_malformed: {
    kind: "invalid",
    when: "what a run wants to keep is no plan",
    help: "Agent and control plane have to be of releases that fit together.",
  },
  plan_gone: {
    kind: "gone",
    when: "a saved plan was handed out before, was discarded, or is kept no longer",
    help: "Nothing is applied twice: the platform plans anew. Retry the operation if it has ended.",
  },
  plan_not_approved: {
    kind: "conflict",
    when: "a run wants to apply a plan that nobody has approved though somebody must",
    help: "Approve it with `cloud run approve`, or discard it.",
  },
  run_not_open: {
    kind: "conflict",
    when: "a run is to be approved or discarded that does not wait for it, or is not what would be applied any more",
    help: "Look at the run's state and message; a newer run may have taken its place.",
  },
  drift_ended: {
    kind: "conflict",
    when: "drift is to be accepted or corrected that was accepted, corrected or gone before",
    help: "Nothing needs to be done; `cloud drift list` shows what is open.",
  },
  drift_not_acceptable: {
    kind: "conflict",
    when: "drift is to be accepted that no ignore rule can describe: a resource is gone",
    help: "Have it put back with `cloud drift correct`, or change the entity so that it does not ask for it.",
  },
  not_simulated: {
    kind: "conflict",
    when: "something is asked of the simulated cloud of an account that is a real one",
    help: "Use an account with `spec.simulated: true`; what exists in a real cloud is changed with that cloud's own tools.",
  },
  clusters_not_served: {
    kind: "unavailable",
    retry: "backoff",
    when: "a simulated cluster's Kubernetes API is asked for, and no replica serves such APIs",
    help: "Start a replica with the role api; it serves the simulated clusters of all accounts.",
  },
  cluster_not_ready: {
    kind: "conflict",
    retry: "backoff",
    when: "a kubeconfig is asked for of a cluster that has none yet, or none any more",
    help: "Wait until the cluster is RUNNING: `cloud k8s get NAME` shows what it waits for.",
  },
  access_not_in_time: {
    kind: "unavailable",
    retry: "backoff",
    when: "a kubeconfig of a real cluster is asked for, and no agent has got a token from the cluster in time",
    help: "Retry when an agent is connected; `cloud agent list` shows them. With `--exec`, no agent is needed, but your own identity in the cloud.",
  },
  access_failed: {
    kind: "conflict",
    retry: "backoff",
    when: "a kubeconfig of a real cluster is asked for, and the cluster gave the agent no token",
    help: "Correct what the message names and retry, or use `--exec` with an identity in the cloud that the cluster knows.",
  },
  no_exec: {
    kind: "invalid",
    when: "a kubeconfig that fetches tokens with a program is requested for a cluster whose cloud has no such program",
    help: "Request a kubeconfig with a token: leave out `--exec`.",
  },
  simulation_malformed: {
    kind: "invalid",
    when: "what a run asks of a simulated cloud cannot be understood",
    help: "Use an agent of the same release as the server.",
  },
  force_unlock: {
    kind: "denied",
    when: "a run wants to take a lock away without naming it, as `terraform force-unlock` does",
    help: "A lock whose holder is gone is taken over by the next run; a person with the role admin uses `cloud state unlock`.",
  },
  denied: {
    kind: "denied",
    when: "the caller is known but lacks the role that the operation asks for",
    help: "Ask an owner of the project for the role that the message names.",
  },
  denied_by_policy: {
    kind: "invalid",
    httpStatus: 422,
    when: "a policy in force denies the entity as it is asked for",
    help: "Change what `fields` names, or ask who looks after the platform's policies.",
  },
  csrf: {
    kind: "denied",
    when: "a change was asked for with a browser session from another site, or without the header that only our own pages send",
    help: "Send the header X-Cloudwright-Csrf with any value from a page of the same origin, or use an API key.",
  },
  has_children: {
    kind: "conflict",
    when: "an entity with others below it is to be deleted without a cascade",
    help: "Delete what is below it first, or ask for `cascade=true`.",
  },
  has_work: {
    kind: "conflict",
    when: "a project is to be deleted while something was or is being built for entities in it",
    help: "Delete the entities that the message names first, wait until they are gone, then delete the project.",
  },
  protected: {
    kind: "conflict",
    when: "an entity is to be deleted while it, or something below it, is protected from deletion",
    help: "Set `metadata.deletionProtection` to false on what the message names, then delete again.",
  },
  being_deleted: {
    kind: "conflict",
    when: "the spec of an entity that is being deleted is to be changed",
    help: "Wait until it is gone and create it anew.",
  },
  operation_ended: {
    kind: "conflict",
    when: "an operation that has ended is to be cancelled",
    help: "Nothing needs to be stopped; change the entity to undo what the operation did.",
  },
  not_retryable: {
    kind: "conflict",
    when: "an operation is to be tried again that has neither failed nor been cancelled, or that is not the newest on its entity",
    help: "Look at the newest operation, which `metadata.operation` of the entity names, or change the entity.",
  },
  busy: {
    kind: "conflict",
    retry: "backoff",
    when: "the entity kept changing while the change was applied",
    help: "Try again.",
  },
  rate_limited: {
    kind: "exhausted",
    retry: "after",
    when: "the caller sends more requests than are allowed",
    help: "Wait for the seconds that Retry-After names.",
  },
  watch_too_slow: {
    kind: "exhausted",
    retry: "backoff",
    when: "a watching client reads slower than changes come",
    help: "List again and watch from the resourceVersion of that list.",
  },
  timeout: {
    kind: "unavailable",
    retry: "backoff",
    when: "an operation took longer than the server allows",
    help: "Try again; a create with the same Idempotency-Key is carried out once.",
  },
  not_served: {
    kind: "unavailable",
    retry: "backoff",
    when: "a replica is asked for what its roles do not include",
    help: "Send users to replicas with the role api and agents to those with the role tasks.",
  },
  shutting_down: {
    kind: "unavailable",
    retry: "backoff",
    when: "the server is stopping",
    help: "Try again; another replica or the restarted server will answer.",
  },
  internal: {
    kind: "internal",
    when: "something unexpected happened; the server's log has it under the request id",
    help: "Try again; if it stays, report the request id.",
  },
});
