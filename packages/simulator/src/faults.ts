import { defineFaults } from "@cloudwright/platform";

export const simulatorFaults = defineFaults("simulator", {
  bad_schema: {
    kind: "invalid",
    when: "a schema file of a simulated provider, or what was registered for one of its types, cannot be used",
    help: "Correct the place that the message names; the format is described in packages/simulator/README.md.",
  },
  bad_value: {
    kind: "invalid",
    when: "a value does not have the type that its schema states",
    help: "Correct the record or the hook that the message names.",
  },
  bad_message: {
    kind: "invalid",
    when: "what arrived at a simulated provider is not a message of the plug-in protocol",
    help: "See which program called; Terraform from 1.0 and OpenTofu are understood.",
  },
  bad_address: {
    kind: "invalid",
    when: "a provider address is not of the form host/namespace/name, or a version is not one",
    help: "Write it as registry.terraform.io/hashicorp/aws, and the version as 1.2.3.",
  },
  path_too_long: {
    kind: "invalid",
    when: "a directory's path leaves no room for the name of a Unix socket, which may have 107 bytes",
    help: "Choose a directory with a shorter path.",
  },
  missing_bundle: {
    kind: "unavailable",
    when: "the simulated provider is to be started by Terraform, but its bundle was not built",
    help: "Run `npm run build`.",
  },
  inventory_busy: {
    kind: "unavailable",
    retry: "backoff",
    when: "the lock of a simulated cloud's file was held for too long",
    help: "Try again; when it persists, see which process works on that file.",
  },
  inventory_unreadable: {
    kind: "internal",
    when: "the file of a simulated cloud is not what was written there",
    help: "Restore the file, or remove it to start with an empty cloud.",
  },
  door_unavailable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the control plane, which keeps the simulated clouds, could not be reached for a minute",
    help: "See whether the control plane runs; what was asked for may or may not have happened, and the next run finds out.",
  },
  door_closed: {
    kind: "unauthenticated",
    when: "a run asks for a simulated cloud after its task's lease is gone, or for the cloud of another account",
    help: "Nothing was changed. Whoever holds the task now works with a credential of its own.",
  },
  door_refused: {
    kind: "invalid",
    when: "the control plane does not do what a run asks of a simulated cloud",
    help: "Read the code in the message; use an agent of the same release as the control plane.",
  },
  clusters_unserved: {
    kind: "unavailable",
    when: "somebody wants to enter a simulated cluster in a cloud that an agent keeps in files, whose clusters answer nowhere",
    help: "Let the control plane keep the cloud: leave CLOUDWRIGHT_AGENT_SIMULATOR out, or set it to `server`.",
  },
  bad_cluster_id: {
    kind: "invalid",
    when: "the id of a simulated cluster is not one label of a host name",
    help: "Use lower-case letters, digits and dashes, at most 63.",
  },
  cluster_exists: {
    kind: "conflict",
    when: "a simulated cluster of that id exists",
    help: "Use it, delete it, or choose another id.",
  },
  no_such_cluster: {
    kind: "not_found",
    when: "there is no simulated cluster of that id",
    help: "See which there are, or create it.",
  },
  objects_stale: {
    kind: "conflict",
    retry: "backoff",
    when: "another process has changed a simulated cluster meanwhile",
    help: "Let one process serve a simulated cluster; the next request reads it anew.",
  },
});
