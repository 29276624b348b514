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
  bucket_not_empty: {
    kind: "conflict",
    when: "a storage is deleted whose bucket still holds objects, and its spec does not say that they may go",
    help: "Empty the bucket and retry the operation. Or set `spec.bucket.forceDestroy`, which is possible also now, and retry it: the objects go with it.",
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
  downgrade: {
    kind: "invalid",
    when: "a cluster is to have a version of Kubernetes below the one that it runs",
    help: "Ask for the version that runs or a later one; for an older one make another cluster.",
  },
  version_not_offered: {
    kind: "invalid",
    when: "a cloud does not offer, or no longer offers, the version of Kubernetes that a cluster asks for",
    help: "Ask for a version that the cloud offers; a cluster that was on its way there stays at the version that it has reached.",
  },
  removed_apis: {
    kind: "conflict",
    when: "objects in a cluster are written with versions of the API that the wanted version of Kubernetes has no longer",
    help: "Write the objects that the message names with the version that took its place, or upgrade with `--allow removed-apis`.",
  },
  throttled: {
    kind: "unavailable",
    retry: "backoff",
    when: "the cloud answers more slowly than a run asks, also after the provider has asked again many times",
    help: "Nothing; if it lasts, find out who else makes calls in the account, or let runs make fewer at once.",
  },
  role_not_ready: {
    kind: "unavailable",
    retry: "backoff",
    when: "a role is not seen yet by the service that is to act in it, or does not trust that service",
    help: "Nothing where the role was just made; for a role that is given, check that it exists and whom it trusts.",
  },
  nodes_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "machines of a node group did not start or did not join the cluster",
    help: "Read the message; choose another machine type or zone where there is no capacity, and check that nodes reach the API server.",
  },
  cloud_denies: {
    kind: "denied",
    when: "the cloud says that the account's credentials may not do what the entity needs",
    help: "Give the account the permission that the message names, then retry the operation.",
  },
  credentials_refused: {
    kind: "denied",
    when: "the cloud does not know the account's credentials, or no longer",
    help: "Give the account credentials that are good, then retry the operation.",
  },
  quota_exhausted: {
    kind: "exhausted",
    when: "the cloud grants the account no more of what the entity needs",
    help: "Ask the cloud for a higher quota or remove what is not needed, then retry the operation.",
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
    when: "a run could not save its state at its end; it was saved afterwards, and what was left to do is done by the next attempt",
    help: "Nothing; if it lasts, check the agent's way to the control plane.",
  },
  state_door: {
    kind: "unavailable",
    retry: "backoff",
    when: "the state endpoint does not answer, or answers in an unexpected form",
    help: "Check the agent's way to the control plane; a proxy in between must let LOCK and UNLOCK through.",
  },
  no_cluster: {
    kind: "not_found",
    when: "work is to be done in a cluster of which no run has left an address",
    help: "Retry the entity: it is built first.",
  },
  add_ons_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "add-ons of a cluster are not as they should be; the others are installed",
    help: "The cluster's status says of each add-on how it stands and why; correct that, or take it out of `spec.addOns`.",
  },
  add_ons_refused: {
    kind: "invalid",
    when: "add-ons of a cluster cannot be installed as they are asked for; the others are installed",
    help: "Change `spec.addOns` as the message says, or give the agent what the message names.",
  },
  bad_catalogue: {
    kind: "invalid",
    when: "a file of the agent's folder of add-ons (CLOUDWRIGHT_AGENT_ADDONS) is no entry of a catalogue",
    help: "Correct what the message names.",
  },
  bad_chart: {
    kind: "denied",
    when: "a chart is not the one that the catalogue pins, or not the one that was installed before under the same version",
    help: "Find out who changed it; if the change is wanted, pin the new digest in the catalogue or ask for another version.",
  },
  helm_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "helm could not pull or install a chart",
    help: "The message is helm's own; the agent's log has the rest.",
  },
  leftovers: {
    kind: "unavailable",
    retry: "backoff",
    when: "a cluster is gone, but something that it has made in its cloud by itself could not be removed",
    help: "The operation lists what is left; remove it, or what uses it, and retry; or force the deletion, and it stays and is recorded.",
  },
});
