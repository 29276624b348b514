import { defineFaults } from "@cloudwright/platform";
import { loadFaults } from "./http/load-faults.ts";
import { claimFaults } from "./claim-faults.ts";

export const apiFaults = defineFaults("api", {
  invalid: {
    kind: "invalid",
    when: "fields of the request violate the API contract",
    help: "Correct the fields named in the message. The response lists all of them under `fields`.",
  },
  bad_json: {
    kind: "invalid",
    when: "the body is not JSON in UTF-8, or is nested too deeply",
    help: "Send one JSON object in UTF-8, at most 64 levels deep.",
  },
  bad_query: {
    kind: "invalid",
    when: "a query parameter is unknown, repeated or has an invalid value",
    help: "Use the parameters that the API reference lists for this method.",
  },
  bad_filter: {
    kind: "invalid",
    when: "a filter or label selector cannot be parsed or names a field that does not exist",
    help: "Write comparisons as `path=value` or `path!=value`, separated by commas, with paths such as status.phase. Write labels as `key=value`.",
  },
  bad_page_token: {
    kind: "invalid",
    when: "a pageToken does not belong to the requested list",
    help: "Send the nextPageToken of the previous page with the same filters and order, or start from the first page.",
  },
  body_too_large: {
    kind: "invalid",
    httpStatus: 413,
    when: "the body is larger than the server accepts",
    help: "Send at most 1 MiB, or 4 KiB to /v1/session. CLOUDWRIGHT_STATE_MIB sets the limit for Terraform states.",
  },
  too_many_values: {
    kind: "invalid",
    when: "the body contains more values than the server accepts, counting every field, list item and nested object",
    help: "Send at most 20,000 values. Split the request, or put long tables into one string.",
  },
  response_too_large: {
    kind: "invalid",
    httpStatus: 413,
    when: "a document or list is larger than the limit for responses over Connect and gRPC",
    help: "Use the REST endpoint that the message names, or request a smaller page with `pageSize`.",
  },
  headers_too_large: {
    kind: "invalid",
    httpStatus: 431,
    when: "the URL and headers together are larger than the server accepts",
    help: "Use a shorter filter or label selector, or send fewer headers.",
  },
  bad_request: {
    kind: "invalid",
    when: "the server received data that is not an HTTP request, or a path that it cannot decode",
    help: "Use HTTP/1.1, or HTTP/2 with prior knowledge, on this port; percent-encode paths as UTF-8.",
  },
  unsupported_media: {
    kind: "invalid",
    httpStatus: 415,
    when: "the body's Content-Type is not JSON",
    help: "Send application/json, or application/merge-patch+json with PATCH.",
  },
  no_route: {
    kind: "not_found",
    when: "the server has no route for this path",
    help: "Find the path in the API reference at /docs or /openapi.json.",
  },
  method_not_allowed: {
    kind: "invalid",
    httpStatus: 405,
    when: "the path exists, but does not support this HTTP method",
    help: "Use one of the methods in the Allow header.",
  },
  not_found: {
    kind: "not_found",
    when: "the entity or project does not exist, or the caller has no access to it",
    help: "Check the name, uid and project; `cloud list <kind>` shows what exists.",
  },
  unauthenticated: {
    kind: "unauthenticated",
    when: "the request carries no credential, or one that is unknown, expired, revoked or forged",
    help: "Send `Authorization: Bearer <API key or token>`, or sign in again.",
  },
  join_refused: {
    kind: "unauthenticated",
    when: "an agent uses a join token that is unknown, was already used by another agent or has expired",
    help: "Create a new token with `cloud agent join-token`. Each token can be used once, before it expires.",
  },
  run_ended: {
    kind: "unauthenticated",
    when: "a run accesses a Terraform state or a simulated cloud with another run's credential, or after losing its task's lease",
    help: "Nothing was changed. A run without a lease must stop; the current holder of the task requests its own credential.",
  },
  lease_lapsed: {
    kind: "unavailable",
    retry: "backoff",
    when: "a run accesses a Terraform state or a simulated cloud while its task's lease has expired and has not been renewed yet",
    help: "Renew the lease and try again.",
  },
  lease_lost: {
    kind: "conflict",
    when: "an agent requests access for a task that it does not hold",
    help: "Stop working on the task: another agent may hold it.",
  },
  state_locked: {
    kind: "conflict",
    httpStatus: 423,
    when: "a Terraform state cannot be locked or changed while a run holds its lock",
    help: "Wait until the run has finished, or cancel its operation; `cloud state unlock --force` releases the lock of a run that no longer responds.",
  },
  state_not_held: {
    kind: "conflict",
    when: "a run tries to write or unlock a Terraform state with a lock id that it does not hold",
    help: "Run again with locking enabled. The lock was never acquired or has been released since.",
  },
  state_stale: {
    kind: "conflict",
    when: "a run tries to write a Terraform state that does not follow the newest version: its serial is not higher, or its lineage differs",
    help: "Run again from the newest version; `cloud state rollback` restores an earlier one.",
  },
  state_malformed: {
    kind: "invalid",
    when: "a run sends a Terraform state or a lock that cannot be parsed",
    help: "Use the http backend of Terraform or OpenTofu; a state is JSON with a serial and a lineage.",
  },
  state_damaged: {
    kind: "invalid",
    when: "the MD5 checksum sent with a state does not match its body",
    help: "Send the state again. If the error persists, check for a proxy that modifies request bodies.",
  },
  state_sealed: {
    kind: "conflict",
    when: "the state versions to compare were encrypted by Terraform or OpenTofu",
    help: "Download both with `cloud state pull` and decrypt them with the tool that wrote them.",
  },
  plan_refused: {
    kind: "denied",
    when: "a run tries to store a plan for another task, or requests a plan that its task does not name",
    help: "Each task stores its own plan. A plan is returned only to the task whose payload names it.",
  },
  plan_malformed: {
    kind: "invalid",
    when: "a run sends a plan that cannot be parsed",
    help: "Use compatible releases of the agent and the control plane.",
  },
  plan_gone: {
    kind: "gone",
    when: "a saved plan was already used, was discarded or has been deleted",
    help: "A plan is never applied twice; the platform creates a new one. If the operation has ended, retry it.",
  },
  plan_not_approved: {
    kind: "conflict",
    when: "a run tries to apply a plan that requires approval and has not been approved",
    help: "Approve it with `cloud run approve`, or discard it.",
  },
  run_in_progress: {
    kind: "conflict",
    when: "a resource cannot be adopted or forgotten while a run for its entity is queued or in progress",
    help: "Wait until the operation that the message names has ended, or cancel it with `cloud operation cancel NAME`.",
  },
  not_in_state: {
    kind: "not_found",
    when: "a state has no resource with the requested address",
    help: 'Use an address that `cloud state resources KIND/NAME` lists. Quote it for the shell if it has a key, as in TYPE.NAME["KEY"].',
  },
  cannot_forget: {
    kind: "conflict",
    when: "a resource cannot be forgotten because the platform cannot read the state, which is encrypted or in an external backend",
    help: "Remove the resource from the state with Terraform itself, and remove its `cloudwright:entity` tag in the cloud.",
  },
  run_not_open: {
    kind: "conflict",
    when: "a run cannot be approved or discarded because it is not waiting for approval or was replaced by a newer run",
    help: "Check the run's state and message; a newer run may have replaced it.",
  },
  drift_ended: {
    kind: "conflict",
    when: "drift cannot be accepted or corrected because it was already resolved or has disappeared",
    help: "Nothing needs to be done; `cloud drift list` shows open drift.",
  },
  drift_nothing_built: {
    kind: "conflict",
    when: "drift cannot be checked because the entity has not been built yet",
    help: "Wait until the entity is RUNNING, then check again. `cloud operation list` shows the progress.",
  },
  drift_not_acceptable: {
    kind: "conflict",
    when: "drift cannot be accepted because no ignore rule can describe it, for example after a resource was deleted",
    help: "Restore the resource with `cloud drift correct`, or remove it from the entity's spec.",
  },
  not_simulated: {
    kind: "conflict",
    when: "a simulator method is used on an account that is not simulated",
    help: "Use an account with `spec.simulated: true`; change resources in a real cloud with that cloud's own tools.",
  },
  clusters_not_served: {
    kind: "unavailable",
    retry: "backoff",
    when: "the Kubernetes API of a simulated cluster is needed, but no replica serves it",
    help: "Start a replica with the `api` role. It serves the simulated clusters of all accounts.",
  },
  apis_not_served: {
    kind: "unavailable",
    retry: "backoff",
    when: "credentials for a cloud's simulated API are needed, but no replica serves it",
    help: "Start a replica with the `api` role and check that CLOUDWRIGHT_SIMULATED_CLOUDS_LISTEN names a free address.",
  },
  cluster_not_ready: {
    kind: "conflict",
    retry: "backoff",
    when: "a kubeconfig is requested for a cluster that is not running",
    help: "Wait until the cluster is RUNNING; `cloud k8s get NAME` shows what it is waiting for.",
  },
  access_not_in_time: {
    kind: "unavailable",
    retry: "backoff",
    when: "no agent obtained a token for a real cluster's kubeconfig in time",
    help: "Retry when an agent is connected; `cloud agent list` lists the agents. Alternatively, use `--exec`, which needs no agent but requires your own cloud identity.",
  },
  access_failed: {
    kind: "conflict",
    retry: "backoff",
    when: "a real cluster did not issue a token for a kubeconfig",
    help: "Fix the cause in the message and retry, or use `--exec` with a cloud identity that has access to the cluster.",
  },
  instance_not_ready: {
    kind: "conflict",
    retry: "backoff",
    when: "a request needs the login or the log of an instance that does not exist in the cloud yet",
    help: "Wait until the instance is RUNNING; `cloud instance get NAME` shows what it is waiting for.",
  },
  log_not_in_time: {
    kind: "unavailable",
    retry: "backoff",
    when: "no agent read an instance's log in time",
    help: "Retry when an agent is connected and the instance is not being changed; `cloud agent list` lists the agents.",
  },
  log_failed: {
    kind: "conflict",
    retry: "backoff",
    when: "an agent could not read an instance's log",
    help: "Fix the cause in the message and retry.",
  },
  has_entity: {
    kind: "conflict",
    when: "a kubeconfig is requested through the account for a cluster that an entity created or imported",
    help: "Request the kubeconfig of the entity: `cloud k8s kubeconfig NAME`. `cloud k8s discover --account ACCOUNT` shows the name.",
  },
  no_exec: {
    kind: "invalid",
    when: "a kubeconfig with `--exec` is requested for a simulated cluster, or for one whose cloud has no command-line tool for tokens",
    help: "Leave out `--exec` to get a kubeconfig with a token.",
  },
  simulation_malformed: {
    kind: "invalid",
    when: "a run sends a simulated cloud a request that cannot be parsed",
    help: "Use the same release of the agent and the server.",
  },
  simulation_too_large: {
    kind: "invalid",
    httpStatus: 413,
    when: "a limit of a simulated cloud would be exceeded: 256 KiB per resource, 64 MiB for all resources of an account, 100 pending faults, or the maximum response size",
    help: "Remove attributes, delete resources with `cloud sim delete` or `cloud sim reset`, or send smaller requests. Agents of this release list resources in pages.",
  },
  force_unlock: {
    kind: "denied",
    when: "a run tries to release a lock without naming its id, as `terraform force-unlock` does",
    help: "The next run takes over a lock whose holder no longer exists. To release it now, use `cloud state unlock`, which requires the admin role.",
  },
  denied: {
    kind: "denied",
    when: "the caller is authenticated but lacks the role that the method requires",
    help: "Ask an owner of the project for the role that the message names.",
  },
  backend_not_allowed: {
    kind: "denied",
    when: "an entity names an external state backend that its project may not use",
    help: "Use a backend that the message names, or store the state in the platform. An operator can allow a backend with `cloud backend update NAME --projects PROJECT`.",
  },
  backend_refused: {
    kind: "invalid",
    httpStatus: 403,
    when: "a run needs an external state backend, or a location in one, that its project may not use, or may no longer use",
    help: "Ask an operator to allow the backend for the project with `cloud backend update NAME --projects PROJECT`, then retry. For entities created by earlier releases, operators use `cloud backend adopt NAME KIND/NAME`.",
  },
  backend_agent_refused: {
    kind: "invalid",
    httpStatus: 403,
    when: "a run needs the secrets of a state backend that several projects use, but its agent belongs to one project",
    help: "Run the entity's tasks on an agent of the project `system`: stop the project's own agent, or restrict it with its labels. Or ask an operator for a backend that only this project uses.",
  },
  identity_not_granted: {
    kind: "denied",
    when: "an account uses the cloud identity of its agents, but no agent's identity is granted to the project",
    help: "Use an access key, add an agent to your own project, or ask an operator to grant a shared agent's identity with `cloud agent update AGENT -p system --identity-projects PROJECT`.",
  },
  identity_refused: {
    kind: "invalid",
    httpStatus: 403,
    when: "a run needs the cloud identity of an agent, but that identity is not granted to the account's project",
    help: "Ask an operator to grant the agent's identity with `cloud agent update AGENT -p system --identity-projects PROJECT`, then retry.",
  },
  denied_by_policy: {
    kind: "invalid",
    httpStatus: 422,
    when: "an active policy denies the requested entity",
    help: "Change the fields listed under `fields`, or contact the administrators who manage the platform's policies.",
  },
  csrf: {
    kind: "denied",
    when: "a browser session requests a change from another site, or without the header that only the console sends",
    help: "Send the request from a same-origin page with the header X-Cloudwright-Csrf (any value works), or use an API key.",
  },
  has_children: {
    kind: "conflict",
    when: "a request without `cascade=true` tries to delete an entity that has other entities below it",
    help: "Delete the entities below it first, or use `cascade=true`.",
  },
  has_work: {
    kind: "conflict",
    when: "a request tries to delete a project whose entities have, or may have, resources in a cloud",
    help: "Delete the entities named in the message, wait until they have been deleted, then delete the project.",
  },
  protected: {
    kind: "conflict",
    when: "a request tries to delete an entity, but the entity or an entity below it is protected from deletion",
    help: "Set `metadata.deletionProtection` to false on the entities named in the message, then delete again.",
  },
  being_deleted: {
    kind: "conflict",
    when: "a request tries to change the spec of an entity that is being deleted",
    help: "Wait until the entity has been deleted, then create it again.",
  },
  operation_ended: {
    kind: "conflict",
    when: "a request tries to cancel an operation that has already ended",
    help: "Nothing needs to be stopped; to undo the operation, change the entity.",
  },
  ...claimFaults,
  upgrade_not_paused: {
    kind: "conflict",
    when: "a request resumes an upgrade that is not paused, or aborts one that has already changed the cluster",
    help: "Check the cluster's condition UpgradePaused and its operation: `cloud describe cluster NAME`.",
  },
  not_retryable: {
    kind: "conflict",
    when: "the operation to retry has neither failed nor been cancelled, or is not the entity's newest operation",
    help: "Check the entity's newest operation, which is named in its `metadata.operation`, or change the entity.",
  },
  busy: {
    kind: "conflict",
    retry: "backoff",
    when: "the entity kept changing while the request was processed",
    help: "Retry the request.",
  },
  ...loadFaults,
  timeout: {
    kind: "unavailable",
    retry: "backoff",
    when: "a method took longer than the server allows",
    help: "Retry. A create request with the same Idempotency-Key takes effect only once.",
  },
  not_served: {
    kind: "unavailable",
    retry: "backoff",
    when: "a replica receives a request that its roles do not serve",
    help: "Send users to replicas with the `api` role and agents to replicas with the `tasks` role.",
  },
  shutting_down: {
    kind: "unavailable",
    retry: "backoff",
    when: "the server is stopping",
    help: "Retry. Another replica or the restarted server will respond.",
  },
  internal: {
    kind: "internal",
    when: "an unexpected error occurred; the server log contains the details under the request id",
    help: "Retry. If the error persists, report the request id.",
  },
  not_created_here: {
    kind: "conflict",
    when: "a request would delete a cluster or node pool that the platform did not create, either directly or together with its account, project or cluster",
    help: "Run `cloud k8s release NAME` for each cluster that the message names. The platform then stops managing the cluster and changes nothing in the cloud.",
  },
  created_here: {
    kind: "conflict",
    when: "a cluster cannot be released, because the platform created it",
    help: "Delete the cluster, or set `metadata.deletionPolicy` to `retain` and delete it to keep its resources.",
  },
  only_observed: {
    kind: "conflict",
    when: "drift cannot be corrected, because the platform only observes the cluster",
    help: "Accept the drift, or run `cloud k8s manage NAME` to let the platform change the cluster.",
  },
});
