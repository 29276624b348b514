import { defineFaults } from "@cloudwright/platform";

export const deployerFaults = defineFaults("deployer", {
  bad_spec: {
    kind: "invalid",
    when: "an entity's spec requests something that its cloud does not support",
    help: "Change the entity's spec as the message says.",
  },
  not_supported: {
    kind: "invalid",
    when: "an entity's spec requests something that this release cannot build",
    help: "Remove it from the spec, or use a release that supports it.",
  },
  no_credentials: {
    kind: "denied",
    when: "a real account belongs to a cloud that this release does not support",
    help: "Create the account with `simulated: true`, or use a cloud that the message names.",
  },
  no_stack: {
    kind: "not_found",
    when: "no configuration builds this kind of entity in the cloud, or in the requested version",
    help: "Choose a cloud or version that the message names, or add a configuration with a plug-in.",
  },
  bad_stack: {
    kind: "internal",
    when: "a configuration's stack.json is missing or invalid, or the code of a stack or blueprint fails",
    help: "Correct what the message names.",
  },
  bad_outputs: {
    kind: "internal",
    when: "a configuration's outputs do not match the status of its kind of entity",
    help: "Correct the outputs of the configuration that the message names. The resources exist and are recorded in the state.",
  },
  bucket_not_empty: {
    kind: "conflict",
    when: "a storage is deleted, its bucket still contains objects, and its spec does not allow deleting them",
    help: "Empty the bucket and retry the operation. Or set `spec.bucket.forceDestroy`, even now, and retry: the objects are deleted as well.",
  },
  no_upgrade: {
    kind: "conflict",
    when: "the requested version of a configuration cannot be reached by one upgrade",
    help: "Upgrade to the versions that the message names, one after the other, or keep the current version.",
  },
  bad_overrides: {
    kind: "invalid",
    when: "an entity's overrides contain something that is not allowed, because overrides run as code on agents",
    help: "Change `spec.infra.overrides` as the message says.",
  },
  preflight_failed: {
    kind: "conflict",
    when: "preflight checks failed, so nothing was created; the message names every problem",
    help: "Correct everything that the message names, then retry.",
  },
  no_plan: {
    kind: "invalid",
    when: "an apply task does not name a plan",
    help: "Use the same release for the control plane and its agents. A retry makes a new plan.",
  },
  plan_gone: {
    kind: "gone",
    when: "a plan was handed out before, was discarded, or was made for another state; a plan is never applied twice",
    help: "Nothing. The platform makes a new plan and adopts the resources of an interrupted apply.",
  },
  plan_not_approved: {
    kind: "conflict",
    when: "a plan that waits for approval cannot be applied",
    help: "Approve or discard the run.",
  },
  plan_too_large: {
    kind: "exhausted",
    when: "a plan is larger than the control plane accepts",
    help: "Split the entity, or raise CLOUDWRIGHT_STATE_MIB of the control plane.",
  },
  downgrade: {
    kind: "invalid",
    when: "a cluster requests an older version of Kubernetes than it runs",
    help: "Request the current version or a later one. For an older version, create another cluster.",
  },
  version_not_offered: {
    kind: "invalid",
    when: "a cloud does not offer the requested version of Kubernetes",
    help: "Request a version that the cloud offers. A cluster that is being upgraded stays at the version that it has reached.",
  },
  removed_apis: {
    kind: "conflict",
    when: "objects in a cluster use API versions that the requested version of Kubernetes no longer has",
    help: "Migrate the objects that the message names to the newer API version, or upgrade with `--allow removed-apis`.",
  },
  throttled: {
    kind: "unavailable",
    retry: "backoff",
    when: "the cloud still throttled a run after the provider had retried many times",
    help: "Nothing. If it persists, find out who else calls the cloud with this account, or lower the parallelism of runs.",
  },
  role_not_ready: {
    kind: "unavailable",
    retry: "backoff",
    when: "a service cannot assume a role yet, or the role does not trust the service",
    help: "Nothing if the role was just created. Otherwise check that the role exists and trusts the service.",
  },
  nodes_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "machines of a node group did not start or did not join the cluster",
    help: "Read the message. If capacity is missing, choose another machine type or zone. Check that nodes reach the API server.",
  },
  cloud_denies: {
    kind: "denied",
    when: "the account's credentials lack a permission that the entity needs",
    help: "Give the account the permission that the message names, then retry the operation.",
  },
  credentials_refused: {
    kind: "denied",
    when: "the cloud rejects the account's credentials",
    help: "Give the account valid credentials, then retry the operation.",
  },
  quota_exhausted: {
    kind: "exhausted",
    when: "a quota of the account is exhausted",
    help: "Request a higher quota or delete unused resources, then retry the operation.",
  },
  resource_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "a resource could not be created, updated or deleted",
    help: "Correct what the message names. The next attempt continues with the resources that are left.",
  },
  other_executor: {
    kind: "conflict",
    when: "an entity is to be built by another executor than the one that wrote its state",
    help: "Keep the executor that built the entity, or delete the entity and create it again.",
  },
  cancelled: {
    kind: "conflict",
    when: "a task was cancelled while an executor was working",
    help: "Nothing. Retry the operation to continue.",
  },
  state_rescued: {
    kind: "unavailable",
    retry: "backoff",
    when: "a run could not save its state in time; the state was saved later, and the next attempt completes the work",
    help: "Nothing. If it persists, check the network between the agent and the control plane.",
  },
  state_door: {
    kind: "unavailable",
    retry: "backoff",
    when: "the state endpoint does not answer, or answers in an unexpected form",
    help: "Check the network between the agent and the control plane. A proxy must allow the methods LOCK and UNLOCK.",
  },
  no_cluster: {
    kind: "not_found",
    when: "a task needs a cluster that was not built yet",
    help: "Retry the operation: the cluster is built first.",
  },
  add_ons_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "some add-ons of a cluster are not ready; the others are installed",
    help: "The cluster's status shows the state of each add-on and the reason. Correct it, or remove the add-on from `spec.addOns`.",
  },
  add_ons_refused: {
    kind: "invalid",
    when: "some add-ons of a cluster cannot be installed as specified; the others are installed",
    help: "Change `spec.addOns` as the message says, or provide the agent with what the message names.",
  },
  bad_catalogue: {
    kind: "invalid",
    when: "a file in the agent's add-on folder (CLOUDWRIGHT_AGENT_ADDONS) is not a catalogue entry",
    help: "Correct what the message names.",
  },
  bad_chart: {
    kind: "denied",
    when: "a chart differs from the digest in the catalogue, or from the chart that was installed with the same version",
    help: "Find out who changed the chart. If the change is intended, set the new digest in the catalogue or use another version.",
  },
  helm_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "helm could not pull or install a chart",
    help: "Read helm's message. The agent's log has the details.",
  },
  leftovers: {
    kind: "unavailable",
    retry: "backoff",
    when: "a cluster was deleted, but leftover resources that its workloads created could not be removed",
    help: "The operation lists the leftover resources. Remove them and retry, or force the deletion: then they stay and are recorded.",
  },
});
