import { defineFaults } from "@cloudwright/platform";

export const deployerFaults = defineFaults("deployer", {
  bad_spec: {
    kind: "invalid",
    when: "an entity's spec requests something that its cloud does not support",
    help: "Change the entity's spec as described in the message.",
  },
  key_not_replaced: {
    kind: "unavailable",
    retry: "backoff",
    when: "an SSH key could not be replaced on an instance, where the former key is still valid",
    help: "Check the user's ~/.ssh/authorized_keys on the instance. The replacement is repeated automatically.",
  },
  data_missing: {
    kind: "conflict",
    when: "the data of a volume or a snapshot has disappeared from the user's machine",
    help: "Restore the agent's host folder from a backup. If the data is lost, delete the entity and create it again, for example from a snapshot.",
  },
  not_supported: {
    kind: "invalid",
    when: "an entity's spec requests something that this release cannot build",
    help: "Remove the unsupported setting from the spec, or use a release that supports it.",
  },
  no_credentials: {
    kind: "denied",
    when: "a real account belongs to a cloud that this release does not support",
    help: "Create the account with `simulated: true`, or use one of the clouds named in the message.",
  },
  no_stack: {
    kind: "not_found",
    when: "there is no configuration for this kind of entity in the cloud, or none with the requested version",
    help: "Choose a cloud or version that the message names, or add a configuration with a plug-in.",
  },
  bad_stack: {
    kind: "internal",
    when: "a configuration's stack.json is missing or invalid, or the code of a stack or blueprint threw an error",
    help: "Correct the problem that the message describes.",
  },
  bad_outputs: {
    kind: "internal",
    when: "a configuration's outputs do not match the status of its kind of entity",
    help: "Correct the outputs of the configuration that the message names. The resources exist and are recorded in the state.",
  },
  bucket_not_empty: {
    kind: "conflict",
    when: "storage cannot be deleted, because its bucket contains objects and its spec does not allow deleting them",
    help: "Empty the bucket and retry the operation, or set `spec.bucket.forceDestroy` and retry to delete the objects as well.",
  },
  bucket_locked: {
    kind: "conflict",
    when: "storage cannot be deleted, because its bucket contains objects and has an object lock that cannot be removed",
    help: "Delete the objects when their locks have expired, then retry the operation. `spec.bucket.forceDestroy` does not delete locked objects.",
  },
  no_upgrade: {
    kind: "conflict",
    when: "the requested version of a configuration cannot be reached in a single upgrade",
    help: "Upgrade to the versions named in the message one by one, or keep the current version.",
  },
  bad_overrides: {
    kind: "invalid",
    when: "an entity's overrides contain something that is not allowed, because overrides run as code on agents",
    help: "Change `spec.infra.overrides` as described in the message.",
  },
  backend_not_allowed: {
    kind: "denied",
    when: "an entity's spec names an external state backend that the control plane did not open for the run",
    help: "Ask an operator to allow the backend for the project with `cloud backend update NAME --projects PROJECT`, then retry.",
  },
  preflight_failed: {
    kind: "conflict",
    when: "preflight checks failed, so nothing was created; the message names every problem",
    help: "Correct the problems that the message lists, then retry.",
  },
  no_plan: {
    kind: "invalid",
    when: "an apply task does not name a plan",
    help: "Use the same release for the control plane and its agents. A retry creates a new plan.",
  },
  plan_gone: {
    kind: "gone",
    when: "a plan cannot be applied, because it was already started, was discarded, or is based on another state",
    help: "No action is needed. The platform creates a new plan and adopts the resources of an interrupted apply.",
  },
  plan_not_approved: {
    kind: "conflict",
    when: "a plan cannot be applied, because it is waiting for approval",
    help: "Approve or discard the run.",
  },
  plan_too_large: {
    kind: "exhausted",
    when: "a plan is larger than the control plane accepts",
    help: "Split the entity into smaller ones, or increase CLOUDWRIGHT_STATE_MIB on the control plane.",
  },
  downgrade: {
    kind: "invalid",
    when: "a cluster's spec requests an older Kubernetes version than the cluster runs",
    help: "Request the current version or a later one. To run an older version, create a new cluster.",
  },
  version_not_offered: {
    kind: "invalid",
    when: "a cloud does not offer the requested Kubernetes version",
    help: "Request a version that the cloud offers. If an upgrade is in progress, the cluster stays at the version that it has reached.",
  },
  removed_apis: {
    kind: "conflict",
    when: "objects in a cluster use API versions that the requested Kubernetes version no longer serves",
    help: "Migrate the objects that the message names to the newer API version, or upgrade with `--allow removed-apis`.",
  },
  nodes_too_old: {
    kind: "conflict",
    when: "a cluster's nodes are too old or too new for the Kubernetes version of the next upgrade step",
    help: "Replace or remove the nodes that the message names, then run `cloud k8s upgrade NAME --resume`.",
  },
  gate_failed: {
    kind: "conflict",
    when: "an upgrade's health gate failed in every attempt",
    help: "Fix the problem that the gate found, or correct the gate, then run `cloud k8s upgrade NAME --resume`. To continue without the gate, add `--skip-gate GATE`.",
  },
  gate_refused: {
    kind: "denied",
    when: "a health gate requests a URL that the agent is not allowed to reach",
    help: "Use `service` to reach a service in the cluster, or ask the agent's operator to add the host to CLOUDWRIGHT_AGENT_GATE_HOSTS.",
  },
  adoption_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "resources that an interrupted run created could not be added to the state",
    help: "See the message for the cause. The platform retries automatically and creates nothing twice.",
  },
  bad_repair: {
    kind: "invalid",
    when: "a task that adopts or forgets one resource does not name the resource",
    help: "Use the same release for the control plane and its agents.",
  },
  no_such_resource: {
    kind: "not_found",
    when: "a resource cannot be adopted, because the account has no resource with this id",
    help: "Check the id, the account and the region. Use the id in the format that the Terraform provider's documentation specifies for imports.",
  },
  owned_by_other: {
    kind: "denied",
    when: "a resource cannot be adopted, because it carries the ownership tag of another entity",
    help: "Forget the resource in the other entity's state, remove its `cloudwright:entity` tag, then adopt it again.",
  },
  address_taken: {
    kind: "conflict",
    when: "a resource cannot be adopted, because the state already contains the address or the resource",
    help: "Choose the address that the message names, or first remove it from the state with `cloud state forget`.",
  },
  not_adoptable: {
    kind: "invalid",
    when: "a resource cannot be adopted at this address",
    help: "Use the address of a resource that the entity's configuration declares, and an id of the same type.",
  },
  forgotten_blocks: {
    kind: "conflict",
    when: "an entity cannot be deleted, because resources that a user told the platform to forget still exist and other resources depend on them",
    help: "Adopt the resources that the message names with `cloud state adopt` and retry the operation, or delete them yourself. To keep them, use `cloud delete --force`.",
  },
  throttled: {
    kind: "unavailable",
    retry: "backoff",
    when: "the cloud throttled a run, and the Terraform provider's retries did not succeed",
    help: "The run is retried automatically. If the problem persists, check which other programs use this account, or lower the parallelism of runs.",
  },
  role_not_ready: {
    kind: "unavailable",
    retry: "backoff",
    when: "a service cannot assume a role yet, or the role does not trust the service",
    help: "If the role was just created, no action is needed. Otherwise check that the role exists and trusts the service.",
  },
  nodes_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "nodes of a node group did not start or did not join the cluster",
    help: "If the message reports insufficient capacity, choose another machine type or zone. Otherwise check that the nodes can reach the API server.",
  },
  cloud_denies: {
    kind: "denied",
    when: "the account's credentials lack a permission that the entity needs",
    help: "Grant the permission that the message names, then retry the operation.",
  },
  credentials_refused: {
    kind: "denied",
    when: "the cloud rejected the account's credentials",
    help: "Set valid credentials in the account, then retry the operation.",
  },
  quota_exhausted: {
    kind: "exhausted",
    when: "the account has reached one of its quotas",
    help: "Request a higher quota or delete unused resources, then retry the operation.",
  },
  request_rejected: {
    kind: "invalid",
    when: "the cloud rejected a request as invalid, so the same request cannot succeed later",
    help: "Change the entity's spec as described in the message. If the spec is correct, correct the configuration, then retry the operation.",
  },
  resource_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "a resource could not be created, updated or deleted",
    help: "Correct the problem that the message describes. The next attempt continues with the remaining resources.",
  },
  other_executor: {
    kind: "conflict",
    when: "an entity's state was written by a different executor than the one that now handles the entity",
    help: "Keep the executor that built the entity, or delete the entity and create it again.",
  },
  cancelled: {
    kind: "conflict",
    when: "a task was cancelled while it was running",
    help: "Retry the operation to continue.",
  },
  state_rescued: {
    kind: "unavailable",
    retry: "backoff",
    when: "a run could not save its state in time; the state was saved later, and the next attempt completes the work",
    help: "No action is needed. If the problem persists, check the network between the agent and the control plane.",
  },
  state_door: {
    kind: "unavailable",
    retry: "backoff",
    when: "the state endpoint did not respond, or returned an unexpected response",
    help: "Check the network between the agent and the control plane. A proxy must allow the methods LOCK and UNLOCK.",
  },
  no_cluster: {
    kind: "not_found",
    when: "a task needs a cluster that has not been built yet",
    help: "Retry the operation. The cluster will be built first.",
  },
  add_ons_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "some add-ons of a cluster are not ready; all others are installed",
    help: "Check the cluster's status for the reason. Correct the problem, or remove the add-on from `spec.addOns`.",
  },
  add_ons_refused: {
    kind: "invalid",
    when: "some add-ons of a cluster cannot be installed as specified; all others are installed",
    help: "Change `spec.addOns`, or install the missing program or chart on the agent. The message names the cause.",
  },
  bad_catalogue: {
    kind: "invalid",
    when: "a file in the agent's add-on folder (CLOUDWRIGHT_AGENT_ADDONS) is not a valid catalogue entry",
    help: "Correct the problem that the message describes.",
  },
  bad_chart: {
    kind: "denied",
    when: "a chart's digest differs from the catalogue, or from the installed chart of the same version",
    help: "Find out why the chart changed. If the change is intended, set the new digest in the catalogue or use another version.",
  },
  no_helm: {
    kind: "unavailable",
    retry: "backoff",
    when: "an add-on needs helm, but the agent neither has it nor can download it",
    help: "Install helm on the agent's PATH, or set CLOUDWRIGHT_HELM_MIRROR to a directory or URL with the vendor's archives.",
  },
  bad_helm: {
    kind: "invalid",
    when: "a downloaded helm archive does not have the pinned checksum",
    help: "Check the mirror in CLOUDWRIGHT_HELM_MIRROR. It must contain the vendor's unchanged archives.",
  },
  helm_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "helm could not pull or install a chart",
    help: "Check helm's error message. The task's log contains helm's output.",
  },
  drain_blocked: {
    kind: "unavailable",
    retry: "backoff",
    when: "a node pool cannot be deleted or replaced, because pods on its nodes could not be evicted in time",
    help: "Provide capacity for the pods on other nodes, or relax the disruption budget that the message names. To delete the pool anyway, repeat the change with `--allow delete`.",
  },
  leftovers: {
    kind: "unavailable",
    retry: "backoff",
    when: "a cluster was deleted, but leftover resources that its workloads created could not be removed",
    help: "The operation lists the leftover resources. Delete them and retry, or force the deletion to keep them. Kept resources are recorded.",
  },
  existing_gone: {
    kind: "not_found",
    when: "a cluster that the platform did not create no longer exists in the account",
    help: "If the cluster was deleted, run `cloud k8s release NAME`. Otherwise, check the account, the region and the credentials.",
  },
  existing_owned: {
    kind: "conflict",
    when: "a cluster cannot be imported, because an entity on this platform created it",
    help: "Use the entity that created the cluster. `cloud k8s discover` shows its name.",
  },
  not_created_here: {
    kind: "denied",
    when: "a task would delete a cluster or node pool that the platform did not create",
    help: "Run `cloud k8s release NAME` to remove the cluster from the platform. Delete it with the cloud's own tools if you no longer need it.",
  },
});
