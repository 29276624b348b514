import { defineFaults } from "@cloudwright/platform";

export const terraformFaults = defineFaults("terraform", {
  bad_version: {
    kind: "invalid",
    when: "a version or version range is malformed",
    help: "Write an exact version such as 1.11.4, or a range such as `~> 1.9` or `>= 1.9, < 2.0`.",
  },
  no_binary: {
    kind: "unavailable",
    when: "no Terraform or OpenTofu of the required version is installed, and downloads are not allowed",
    help: "Install the version that the message names on the agent's PATH, or allow downloads or configure a mirror.",
  },
  download_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "a release could not be downloaded from its vendor or mirror",
    help: "Check that the agent can reach the address in the message, or configure a mirror.",
  },
  bad_signature: {
    kind: "denied",
    when: "the checksums of a release are not signed by its vendor's key",
    help: "Do not use this mirror until it is clear who changed it. Compare it with the vendor's own release.",
  },
  bad_checksum: {
    kind: "denied",
    retry: "backoff",
    when: "a downloaded release differs from the one that its vendor signed",
    help: "Try again. If the problem persists, a proxy or mirror is modifying files: contact its operator.",
  },
  bad_archive: {
    kind: "internal",
    when: "the archive of a release does not contain the program or cannot be read",
    help: "Compare the mirror's file with the vendor's own.",
  },
  bad_option: {
    kind: "invalid",
    when: "an option of a run has a value that Terraform would misread",
    help: "Correct the value that the message names.",
  },
  bad_source: {
    kind: "invalid",
    when: "a configuration folder is missing, or contains something other than files and folders",
    help: "Provide a folder with the configuration's files. Links are not followed.",
  },
  bad_backend: {
    kind: "invalid",
    when: "a state backend has invalid settings",
    help: "Correct the setting that the message names.",
  },
  other_backend: {
    kind: "conflict",
    when: "a working directory was created for another state than the one it is now used with",
    help: "Use a new working directory. In this one the next command would silently work on the other state.",
  },
  closed: {
    kind: "conflict",
    when: "a working directory was used after it was closed",
    help: "Open a new working directory.",
  },
  start_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "the program could not be started",
    help: "Check that the program in the message exists and is executable.",
  },
  cancelled: {
    kind: "conflict",
    when: "a command was stopped on request",
    help: "Run it again if it is still needed. Everything it had completed is in the state.",
  },
  killed: {
    kind: "unavailable",
    retry: "backoff",
    when: "the program was killed by a signal from outside",
    help: "Plan again, because the last change may be missing in the state. Check whether the agent's machine ran out of memory.",
  },
  failed: {
    kind: "internal",
    retry: "backoff",
    when: "Terraform failed with an error that has no code of its own",
    help: "Read the diagnostics and the log of the run.",
  },
  bad_configuration: {
    kind: "invalid",
    when: "Terraform rejects the configuration",
    help: "Correct the file at the line that the message names.",
  },
  condition_failed: {
    kind: "invalid",
    when: "a condition of the configuration or a check of a resource failed",
    help: "Change the value that the message names. A retry fails in the same way.",
  },
  bad_variables: {
    kind: "invalid",
    when: "a required variable is missing or has the wrong type",
    help: "Set the variable that the message names to a value of the declared type.",
  },
  not_initialised: {
    kind: "conflict",
    retry: "backoff",
    when: "a working directory lacks providers, modules or a backend, or has other ones than its configuration requires",
    help: "Run init in it first.",
  },
  provider_not_installed: {
    kind: "unavailable",
    retry: "backoff",
    when: "a provider could not be found or downloaded, or does not match the lock file",
    help: "Check that the agent can reach the provider's registry or the configured mirror.",
  },
  provider_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a provider crashed or sent an invalid answer",
    help: "Plan again, because the last change may be missing in the state. If the problem persists, choose another version of the provider.",
  },
  plan_stale: {
    kind: "conflict",
    when: "the state has changed since the saved plan was made",
    help: "Plan again.",
  },
  plan_unknown: {
    kind: "not_found",
    when: "this working directory has no plan with the requested id",
    help: "Plan again, or put the stored plan into the working directory first.",
  },
  plan_changed: {
    kind: "denied",
    when: "the content of a saved plan does not match its id",
    help: "Plan again. Nothing was applied.",
  },
  plan_mismatch: {
    kind: "conflict",
    when: "a plan was made with another configuration, provider lock, state or program than the current one",
    help: "Apply it with the same ones, or plan again.",
  },
  plan_too_large: {
    kind: "exhausted",
    when: "a plan is too large to be stored",
    help: "Split the stack, or raise the limit.",
  },
  state_locked: {
    kind: "conflict",
    retry: "backoff",
    when: "another run has locked the state",
    help: "Wait for the other run, or unlock the state if you are sure that its holder is gone.",
  },
  state_unavailable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the state could not be read",
    help: "Check the state backend. Nothing was changed.",
  },
  state_not_saved: {
    kind: "unavailable",
    when: "the state could not be saved after a change and was written to a local file",
    help: "Push the file that the outcome names once the backend is available. Keep the working directory until then.",
  },
  log_unreadable: {
    kind: "not_found",
    when: "the log of a command is missing or unreadable",
    help: "Read the report of the run instead. Its log is no longer available.",
  },
  disk_full: {
    kind: "exhausted",
    retry: "backoff",
    when: "the agent's disk was full during a run",
    help: "Free disk space in the agent's working and temporary directories, and run it again.",
  },
  unexpected_output: {
    kind: "internal",
    when: "the program succeeded, but its output is not what the command should print",
    help: "Check that the program is a supported version of Terraform or OpenTofu.",
  },
  too_much_output: {
    kind: "exhausted",
    when: "the program printed more than may be read into memory",
    help: "Split the stack, or raise the limit.",
  },
});
