import { defineFaults } from "@cloudwright/platform";

export const simulatorFaults = defineFaults("simulator", {
  bad_schema: {
    kind: "invalid",
    when: "a schema file of a simulated provider, or a hook registered for one of its types, is invalid",
    help: "Correct the file or hook named in the message; packages/simulator/README.md describes the format.",
  },
  bad_value: {
    kind: "invalid",
    when: "a value does not have the type that its schema states",
    help: "Correct the record or the hook that the message names.",
  },
  bad_message: {
    kind: "invalid",
    when: "a simulated provider received bytes that are not a message of Terraform's plug-in protocol",
    help: "Check which program called the provider; it supports OpenTofu and Terraform 1.0 or later.",
  },
  bad_address: {
    kind: "invalid",
    when: "a provider address does not have the form host/namespace/name, or a provider version is malformed",
    help: "Write the address like registry.terraform.io/hashicorp/random and the version like 1.2.3.",
  },
  path_too_long: {
    kind: "invalid",
    when: "the path of a Unix socket in this directory would exceed 107 bytes",
    help: "Choose a directory with a shorter path.",
  },
  missing_bundle: {
    kind: "unavailable",
    when: "Terraform needs to start the simulated provider, but the provider's bundle has not been built",
    help: "Run `npm run build`.",
  },
  inventory_busy: {
    kind: "unavailable",
    retry: "backoff",
    when: "another process held the lock on a simulated cloud's file for too long",
    help: "Try again. If the error persists, find the process that uses the file.",
  },
  inventory_unreadable: {
    kind: "internal",
    when: "the file of a simulated cloud is damaged",
    help: "Restore the file, or delete it to start with an empty cloud.",
  },
  door_unavailable: {
    kind: "unavailable",
    retry: "backoff",
    when: "a run could not reach the control plane, which hosts the simulated clouds, for one minute",
    help: "Check that the control plane is running. The last change may or may not have been made. The next run detects whether it was.",
  },
  door_closed: {
    kind: "unauthenticated",
    when: "a run used a simulated cloud after its task's lease had expired, or used the cloud of another account",
    help: "Nothing was changed. No action is needed: the current holder of the task has its own credential.",
  },
  door_refused: {
    kind: "invalid",
    when: "the control plane rejected a run's request to a simulated cloud",
    help: "See the code in the message, and use an agent of the same release as the control plane.",
  },
  clusters_unserved: {
    kind: "unavailable",
    when: "a request needs the API of a simulated cluster, but the agent keeps the simulated cloud in files and serves no cluster APIs",
    help: "Let the control plane host the cloud: remove CLOUDWRIGHT_AGENT_SIMULATOR or set it to `server`.",
  },
  bad_cluster_id: {
    kind: "invalid",
    when: "the id of a simulated cluster cannot be used as a label in a host name",
    help: "Use lower-case letters, digits and dashes, at most 63 characters.",
  },
  cluster_exists: {
    kind: "conflict",
    when: "a simulated cluster with this id already exists",
    help: "Use the existing cluster, delete it, or choose another id.",
  },
  no_such_cluster: {
    kind: "not_found",
    when: "no simulated cluster has this id",
    help: "List the simulated clusters to find the id, or create the cluster.",
  },
  api_not_simulated: {
    kind: "invalid",
    when: "credentials were requested for a cloud whose API is not simulated",
    help: "Use an account of a cloud whose API is simulated; packages/simulator/README.md lists them.",
  },
  objects_stale: {
    kind: "conflict",
    retry: "backoff",
    when: "another process has changed the same simulated cluster in the meantime",
    help: "Serve a simulated cluster from one process only. The next request reads the current state.",
  },
});
