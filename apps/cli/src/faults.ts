import { defineFaults } from "@cloudwright/platform/fault";

/** What the command line itself can find wrong; what the server answers keeps the server's own code. */
export const cliFaults = defineFaults("cli", {
  usage: {
    kind: "invalid",
    when: "a command, an argument or a flag is wrong or missing",
    help: "Run the command with --help to see what it takes.",
  },
  unknown_kind: {
    kind: "invalid",
    when: "no kind has that name",
    help: "Run `cloud help kinds` to see them all.",
  },
  unsupported_verb: {
    kind: "invalid",
    when: "the kind does not have that verb; tasks and operations, for example, are written by the platform only",
    help: "Run `cloud <kind> --help` to see what can be done with it.",
  },
  cluster_needed: {
    kind: "invalid",
    when: "a node pool was named without the cluster it belongs to",
    help: "Add --cluster NAME, or write CLUSTER/NAME.",
  },
  bad_file: {
    kind: "invalid",
    when: "a file cannot be read or does not hold documents with a kind",
    help: "Each document needs `kind`, `metadata.name` and `spec`; `cloud <kind> get NAME -o yaml` shows one.",
  },
  bad_config: {
    kind: "invalid",
    when: "config.yaml cannot be understood",
    help: "Correct it or delete it; `cloud config path` prints where it is and `cloud login` writes it anew.",
  },
  no_server: {
    kind: "invalid",
    when: "neither a flag, nor the environment, nor a context, nor a server of this home says where the server is",
    help: "Start one here with `npm start`, or run `cloud login --server URL`.",
  },
  no_context: {
    kind: "not_found",
    when: "config.yaml has no context of that name",
    help: "Run `cloud context list` to see them, or `cloud login --name NAME` to make one.",
  },
  bad_kubeconfig: {
    kind: "invalid",
    when: "the file that a kubeconfig is to be merged into is no kubeconfig, or cannot be read or written",
    help: "Correct the file that the message names, or name another with --file.",
  },
  unknown_vpc: {
    kind: "not_found",
    when: "--vpc gives the cloud's id of something that is nobody's network here",
    help: "Adopt it first, nothing of it is changed: `cloud network create NAME --account ACCOUNT --region REGION --existing-id VPC --existing-private-subnet-ids SUBNET,SUBNET`.",
  },
  no_clone: {
    kind: "invalid",
    when: "the quick start was asked for where there is no control plane to start",
    help: "Run it in a clone, after `npm ci`: `npm run quickstart`.",
  },
  no_terraform: {
    kind: "invalid",
    when: "there is no Terraform on this machine that the quick start can build with, and none could be fetched",
    help: "Install Terraform 1.9 or newer (https://developer.hashicorp.com/terraform/install) so that `terraform version` works, or name a mirror of the vendor's releases by CLOUDWRIGHT_TERRAFORM_MIRROR.",
  },
  port_taken: {
    kind: "conflict",
    when: "another program listens where the control plane is to serve",
    help: "End that program, or choose another place: `CLOUDWRIGHT_LISTEN=127.0.0.1:8490 npm run quickstart`.",
  },
  server_not_ready: {
    kind: "unavailable",
    when: "the control plane that was started ended or did not get ready",
    help: "Its log says why: `server.log` in the home.",
  },
  not_simulated: {
    kind: "conflict",
    when: "the account that the quick start would use is a real one",
    help: "Rename that account, or run the quick start in another home: `CLOUDWRIGHT_HOME=DIRECTORY npm run quickstart`.",
  },
  wait_failed: {
    kind: "internal",
    when: "an operation that was waited for failed",
    help: "Run `cloud operation get NAME --timeline` to see why, and `cloud operation retry NAME` to try again.",
  },
  wait_cancelled: {
    kind: "conflict",
    when: "an operation that was waited for was cancelled",
    help: "Run `cloud operation get NAME --timeline` to see by whom, and `cloud operation retry NAME` to try again.",
  },
  wait_timeout: {
    kind: "unavailable",
    retry: "backoff",
    when: "an operation did not end within --timeout; the work goes on",
    help: "Follow it with `cloud operation watch NAME`.",
  },
  operation_gone: {
    kind: "not_found",
    when: "an operation that was followed is no longer there",
    help: "Look at the entity itself: `cloud get <kind> NAME`.",
  },
  unknown_uid: {
    kind: "not_found",
    when: "no run or drift report has a uid that begins or ends so, or an entity has none yet",
    help: "Run `cloud run list` or `cloud drift list --all` to see them.",
  },
  ambiguous_uid: {
    kind: "invalid",
    when: "the part of a uid that was given fits more than one run or drift report",
    help: "Give more of it.",
  },
  run_decided: {
    kind: "conflict",
    when: "a run that does not wait for approval was to be approved",
    help: "Run `cloud run get RUN` to see what became of it.",
  },
  not_confirmed: {
    kind: "conflict",
    when: "a question was not answered as asked, or something that has to be confirmed was asked for where nobody can answer",
    help: "Type what is asked for, or add --yes.",
  },
  no_terminal: {
    kind: "invalid",
    when: "something has to be typed in but there is no terminal",
    help: "Give it on standard input instead, for example with --key-stdin.",
  },
  edit_failed: {
    kind: "invalid",
    when: "the editor ended with an error",
    help: "Set EDITOR to an editor that waits until the file is closed.",
  },
  apply_failed: {
    kind: "internal",
    when: "at least one of the documents could not be applied; the others were",
    help: "The lines above say which and why. Applying again is safe.",
  },
});
