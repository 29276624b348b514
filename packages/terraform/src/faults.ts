import { defineFaults } from "@cloudwright/platform";

/** What can go wrong with the programs, in a working directory and in a run. */
export const terraformFaults = defineFaults("terraform", {
  bad_version: {
    kind: "invalid",
    when: "a version or a range of versions is not written as one",
    help: "Write an exact version such as 1.11.4, or a range such as `~> 1.9` or `>= 1.9, < 2.0`.",
  },
  no_binary: {
    kind: "unavailable",
    when: "no Terraform or OpenTofu of the wanted version is on this machine and none may be downloaded",
    help: "Install the version that the message names, put it on the agent's PATH, or allow downloads or a mirror.",
  },
  download_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "a release could not be downloaded from its vendor or mirror",
    help: "Check the agent's way to the address that the message names, or configure a mirror.",
  },
  bad_signature: {
    kind: "denied",
    when: "a release's checksums are not signed by its vendor's key, or the key is not the vendor's",
    help: "Do not use this mirror before it is clear who changed it; compare it with the vendor's own release.",
  },
  bad_checksum: {
    kind: "denied",
    retry: "backoff",
    when: "a downloaded release is not the one that its vendor signed",
    help: "Try again; if it lasts, a proxy or a mirror changes files: ask who runs it.",
  },
  bad_archive: {
    kind: "internal",
    when: "a release's archive does not hold the program, or not in a form that can be read",
    help: "Compare the mirror's file with the vendor's own.",
  },
  bad_option: {
    kind: "invalid",
    when: "a run was asked for with a value that Terraform would misread",
    help: "Correct the value that the message names.",
  },
  bad_source: {
    kind: "invalid",
    when: "a configuration's folder is missing, or holds something other than files and folders",
    help: "Give a folder with the configuration's files; links are not followed.",
  },
  bad_backend: {
    kind: "invalid",
    when: "the settings of a state's backend are not ones that it understands",
    help: "Correct the setting that the message names.",
  },
  other_backend: {
    kind: "conflict",
    when: "a working directory was made for another state than the one it is now used with",
    help: "Use a new working directory: in this one the next command would silently work on the other state.",
  },
  closed: {
    kind: "conflict",
    when: "a working directory is used after it was closed",
    help: "Open a new one.",
  },
  start_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "the program could not be started",
    help: "Check that the program that the message names is there and may be executed.",
  },
  cancelled: {
    kind: "conflict",
    when: "a command was asked to stop and did",
    help: "Run it again when it is wanted again; what it had finished is in the state.",
  },
  killed: {
    kind: "unavailable",
    retry: "backoff",
    when: "the program was ended by a signal that nobody here had sent",
    help: "Plan again: what it changed last may be missing in the state. Look for a lack of memory on the agent's machine.",
  },
  failed: {
    kind: "internal",
    retry: "backoff",
    when: "Terraform ended with an error that has no code of its own",
    help: "Read the diagnostics of the run and its log.",
  },
  bad_configuration: {
    kind: "invalid",
    when: "Terraform does not accept a configuration",
    help: "Correct the file at the line that the message names.",
  },
  condition_failed: {
    kind: "invalid",
    when: "a condition that the configuration states, or a check of a resource, does not hold",
    help: "Change what the message names; trying again finds the same.",
  },
  bad_variables: {
    kind: "invalid",
    when: "a variable that the configuration needs is missing, or has the wrong type",
    help: "Give the variable that the message names, with a value of the type that the configuration declares.",
  },
  not_initialised: {
    kind: "conflict",
    retry: "backoff",
    when: "a working directory lacks providers, modules or a backend, or has other ones than its configuration wants",
    help: "Run init in it first.",
  },
  provider_not_installed: {
    kind: "unavailable",
    retry: "backoff",
    when: "a provider could not be found or downloaded, or is not the one of the lock file",
    help: "Check the agent's way to the provider's registry, or the mirror it is configured with.",
  },
  provider_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a provider crashed, or did not answer as one",
    help: "Plan again: what it did last may be missing in the state. If it lasts, choose another version of the provider.",
  },
  plan_stale: {
    kind: "conflict",
    when: "a saved plan was made for a state that has changed since",
    help: "Plan again.",
  },
  plan_unknown: {
    kind: "not_found",
    when: "a plan is asked for by an id that this working directory has none for",
    help: "Plan again, or put the stored plan into the working directory first.",
  },
  plan_changed: {
    kind: "denied",
    when: "a saved plan is not, byte for byte, the one of its id",
    help: "Plan again; nothing was applied.",
  },
  plan_mismatch: {
    kind: "conflict",
    when: "a plan was made with another configuration, lock of providers, state or program than it would be applied with",
    help: "Apply it with the same ones, or plan again.",
  },
  plan_too_large: {
    kind: "exhausted",
    when: "a plan is larger than one that is sent elsewhere may be",
    help: "Split the stack, or raise the limit.",
  },
  state_locked: {
    kind: "conflict",
    retry: "backoff",
    when: "the state is locked by another run",
    help: "Wait for the other run, or unlock the state when its holder is known to be gone.",
  },
  state_unavailable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the state could not be read",
    help: "Check the state's backend; nothing was changed.",
  },
  state_not_saved: {
    kind: "unavailable",
    when: "the state could not be saved after a change; it was left in a file",
    help: "Push the file that the outcome names once the backend answers again; until then keep the working directory.",
  },
  log_unreadable: {
    kind: "not_found",
    when: "the log of a command is gone, or is not one",
    help: "Look at the report of the run; its log cannot be had any more.",
  },
  disk_full: {
    kind: "exhausted",
    retry: "backoff",
    when: "the disk of the agent had no room during a run",
    help: "Make room where the agent works and where its temporary files are, and run it again.",
  },
  unexpected_output: {
    kind: "internal",
    when: "the program ended as if all were well, but its answer is not what this command answers",
    help: "Check that the program is Terraform or OpenTofu, of a version that is supported.",
  },
  too_much_output: {
    kind: "exhausted",
    when: "the program answered more than is read into memory",
    help: "Split the stack, or raise the limit.",
  },
});
