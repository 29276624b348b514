import { defineFaults } from "@cloudwright/platform/fault";

/** Faults raised by the CLI itself. Errors returned by the server keep the server's code. */
export const cliFaults = defineFaults("cli", {
  usage: {
    kind: "invalid",
    when: "a command, an argument or a flag is wrong or missing",
    help: "Run the command with --help to see its arguments and flags.",
  },
  unknown_kind: {
    kind: "invalid",
    when: "the kind does not exist",
    help: "Run `cloud help kinds` to list all kinds.",
  },
  unsupported_verb: {
    kind: "invalid",
    when: "the kind does not support the verb; for example, only the platform creates tasks and operations",
    help: "Run `cloud <kind> --help` to list its verbs.",
  },
  cluster_needed: {
    kind: "invalid",
    when: "a node pool was named without its cluster",
    help: "Add --cluster NAME, or write CLUSTER/NAME.",
  },
  bad_file: {
    kind: "invalid",
    when: "a file cannot be read, or a document in it has no kind",
    help: "Each document needs `kind`, `metadata.name` and `spec`; `cloud <kind> get NAME -o yaml` prints an example.",
  },
  bad_config: {
    kind: "invalid",
    when: "config.yaml is invalid",
    help: "Correct or delete the file; `cloud config path` prints its path and `cloud login` writes a new one.",
  },
  key_not_rotated: {
    kind: "unavailable",
    when: "an SSH key was not replaced on all instances in time, so both keys are still valid",
    help: "The replacement continues on the server. Start the instances that the message names, or run the command again to wait longer.",
  },
  secret_on_terminal: {
    kind: "invalid",
    when: "a command would print a private key on a terminal",
    help: "Write it to a file with --output-file, redirect the output, or add --show to print it anyway.",
  },
  no_host_key: {
    kind: "conflict",
    when: "no SSH host key is recorded for the instance, so its identity cannot be verified",
    help: "Add --accept-new to trust the key that the instance presents now and to record it, or set the key with `cloud instance update NAME --host-keys 'ssh-ed25519 AAAA...'`.",
  },
  simulated_instance: {
    kind: "conflict",
    when: "a user tries to log in to an instance in a simulated account, where no machine exists",
    help: "Add --address and --port to log in to another machine instead, or create the instance in a real account.",
  },
  needs_root: {
    kind: "denied",
    when: "a command that changes this machine was started without root",
    help: "Run it with sudo. Name the agent's folder with --agent-dir, because the home directory of root is another one.",
  },
  still_mounted: {
    kind: "conflict",
    when: "a folder cannot be removed, because a file system is mounted in it",
    help: "End the programs that use the file system, unmount it, and run the command again.",
  },
  no_ssh: {
    kind: "unavailable",
    when: "the program ssh is missing on this machine",
    help: "Install OpenSSH's client.",
  },
  no_server: {
    kind: "invalid",
    when: "no server is configured by flag, environment or context, and no local server is running",
    help: "Start a server with `npm start`, or run `cloud login --server URL`.",
  },
  no_context: {
    kind: "not_found",
    when: "config.yaml has no such context",
    help: "Run `cloud context list` to list contexts, or `cloud login --name NAME` to create one.",
  },
  bad_kubeconfig: {
    kind: "invalid",
    when: "the file to merge a kubeconfig into is not a kubeconfig, or cannot be read or written",
    help: "Correct the file named in the message, or choose another one with --file.",
  },
  unknown_vpc: {
    kind: "not_found",
    when: "no network in the project has the cloud id given with --vpc",
    help: "Import the existing network first (nothing in it is changed): `cloud network create NAME --account ACCOUNT --region REGION --existing-id VPC --existing-private-subnet-ids SUBNET,SUBNET`.",
  },
  no_clone: {
    kind: "invalid",
    when: "the quick start was run outside a clone of the repository",
    help: "Run `npm ci` and then `npm run quickstart` in a clone of the repository.",
  },
  no_terraform: {
    kind: "invalid",
    when: "no suitable version of Terraform is installed, and none could be downloaded",
    help: "Install Terraform 1.9 or newer (https://developer.hashicorp.com/terraform/install) so that `terraform version` succeeds, or set CLOUDWRIGHT_TERRAFORM_MIRROR to a mirror of the official releases.",
  },
  port_taken: {
    kind: "conflict",
    when: "another program is already listening on the control plane's address",
    help: "Stop that program, or choose another address: `CLOUDWRIGHT_LISTEN=127.0.0.1:8490 npm run quickstart`.",
  },
  server_not_ready: {
    kind: "unavailable",
    when: "the control plane exited or did not become ready",
    help: "See the control plane's log, `server.log` in the home directory.",
  },
  not_simulated: {
    kind: "conflict",
    when: "the account that the quick start would use is a real account",
    help: "Rename that account, or run the quick start with another home directory: `CLOUDWRIGHT_HOME=DIRECTORY npm run quickstart`.",
  },
  wait_failed: {
    kind: "internal",
    when: "an operation failed while the command waited for it",
    help: "Run `cloud operation get NAME --timeline` to see the reason, and `cloud operation retry NAME` to retry.",
  },
  wait_cancelled: {
    kind: "conflict",
    when: "an operation was cancelled while the command waited for it",
    help: "Run `cloud operation get NAME --timeline` to see who cancelled it, and `cloud operation retry NAME` to retry.",
  },
  wait_timeout: {
    kind: "unavailable",
    retry: "backoff",
    when: "an operation did not end within --timeout; it continues",
    help: "Follow it with `cloud operation watch NAME`.",
  },
  operation_gone: {
    kind: "not_found",
    when: "an operation was deleted while the command followed it",
    help: "Check the entity itself: `cloud get <kind> NAME`.",
  },
  unknown_uid: {
    kind: "not_found",
    when: "no run or drift report matches the given uid, or the entity has no run or drift report yet",
    help: "Run `cloud run list` or `cloud drift list --all` to list them.",
  },
  no_external_state: {
    kind: "not_found",
    when: "the entity to adopt does not exist, or the platform stores its state",
    help: "Run `cloud backend uses` to list the entities that store their states outside the platform.",
  },
  other_backend: {
    kind: "conflict",
    when: "the entity to adopt uses a backend type or settings that differ from those of the backend",
    help: "Adopt the entity into another backend: `cloud backend adopt OTHER KIND/NAME`.",
  },
  ambiguous_uid: {
    kind: "invalid",
    when: "the given part of a uid matches more than one run or drift report",
    help: "Enter more characters of the uid.",
  },
  run_decided: {
    kind: "conflict",
    when: "the run to approve is not waiting for approval",
    help: "Run `cloud run get RUN` to see its state.",
  },
  not_confirmed: {
    kind: "conflict",
    when: "a confirmation was declined, or is required but there is no terminal",
    help: "Confirm as prompted, or add --yes.",
  },
  no_terminal: {
    kind: "invalid",
    when: "input is required but there is no terminal",
    help: "Pass the value on standard input instead, for example with --key-stdin.",
  },
  edit_failed: {
    kind: "invalid",
    when: "the editor exited with an error",
    help: "Set EDITOR to an editor that waits until the file is closed.",
  },
  apply_failed: {
    kind: "internal",
    when: "at least one document could not be applied; all others were applied",
    help: "The lines above show which documents failed and why. It is safe to apply the files again.",
  },
  no_such_cluster: {
    kind: "not_found",
    when: "the account has no cluster with this name or id",
    help: "Run `cloud k8s discover --account ACCOUNT` to list its clusters.",
  },
});
