import { defineFaults } from "@cloudwright/platform";

export const terraformFaults = defineFaults("terraform", {
  bad_version: {
    kind: "invalid",
    when: "a version or version range is malformed",
    help: "Write an exact version such as 1.11.4, or a range such as `~> 1.9` or `>= 1.9, < 2.0`.",
  },
  no_binary: {
    kind: "unavailable",
    when: "the required version of Terraform or OpenTofu is not installed, and downloads are disabled",
    help: "Install the version named in the message on the agent's PATH, enable downloads, or configure a mirror.",
  },
  download_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "a release could not be downloaded from the vendor or the mirror",
    help: "Check that the agent can reach the address named in the message, or configure a mirror.",
  },
  bad_signature: {
    kind: "denied",
    when: "the checksums of a release are not signed by its vendor's key",
    help: "Do not use this mirror until you know who changed it. Compare its files with the vendor's release.",
  },
  bad_checksum: {
    kind: "denied",
    retry: "backoff",
    when: "a downloaded release differs from the one that its vendor signed",
    help: "Try again. If the problem persists, a proxy or mirror is modifying files; contact its operator.",
  },
  bad_archive: {
    kind: "internal",
    when: "a release archive cannot be read or does not contain the program",
    help: "Compare the mirror's file with the vendor's file.",
  },
  bad_option: {
    kind: "invalid",
    when: "an option of a run has a value that Terraform would misinterpret",
    help: "Correct the value named in the message.",
  },
  bad_source: {
    kind: "invalid",
    when: "a configuration folder is missing, or contains something other than files and folders",
    help: "Provide a folder with the configuration's files. Links are not followed.",
  },
  bad_backend: {
    kind: "invalid",
    when: "a state backend has invalid settings",
    help: "Correct the setting named in the message.",
  },
  other_backend: {
    kind: "conflict",
    when: "a working directory is used with a different state than the one it was created for",
    help: "Use a new working directory. In this one, the next command would silently use the wrong state.",
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
    help: "Check that the program named in the message exists and is executable.",
  },
  cancelled: {
    kind: "conflict",
    when: "a command was stopped on request",
    help: "Run it again if it is still needed. The state contains everything that was completed.",
  },
  killed: {
    kind: "unavailable",
    retry: "backoff",
    when: "another process killed the program with a signal",
    help: "Plan again, because the last change may be missing from the state. Check whether the agent's machine ran out of memory.",
  },
  out_of_memory: {
    kind: "exhausted",
    retry: "never",
    when: "Terraform or a template in a configuration needs more memory than the agent allows for a run",
    help: "Simplify the expressions in `spec.infra.overrides`. If the configuration really needs more, ask the operator of the agent to raise CLOUDWRIGHT_AGENT_RUN_MEMORY.",
  },
  failed: {
    kind: "internal",
    retry: "backoff",
    when: "Terraform failed with an error that does not match any other code",
    help: "Read the run's diagnostics and log.",
  },
  bad_configuration: {
    kind: "invalid",
    when: "Terraform rejected the configuration",
    help: "Correct the configuration at the file and line named in the message.",
  },
  condition_failed: {
    kind: "invalid",
    when: "a precondition or postcondition in the configuration failed",
    help: "Change the value named in the message. A retry would fail in the same way.",
  },
  bad_variables: {
    kind: "invalid",
    when: "a required variable is missing or has the wrong type",
    help: "Set the variable named in the message to a value of the declared type.",
  },
  not_initialised: {
    kind: "conflict",
    retry: "backoff",
    when: "a working directory does not have the providers, modules or backend that its configuration requires",
    help: "Run init in the working directory first.",
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
    when: "a provider crashed or sent an invalid response",
    help: "Plan again, because the last change may be missing from the state. If the problem persists, choose a different provider version.",
  },
  plan_stale: {
    kind: "conflict",
    when: "the state has changed since the saved plan was made",
    help: "Plan again.",
  },
  plan_unknown: {
    kind: "not_found",
    when: "the working directory has no plan with the requested ID",
    help: "Plan again, or put the stored plan into the working directory first.",
  },
  plan_changed: {
    kind: "denied",
    when: "the content of a saved plan does not match its ID",
    help: "Plan again. Nothing was applied.",
  },
  plan_mismatch: {
    kind: "conflict",
    when: "a plan was made with a different configuration, provider lock, state, set of variables or program",
    help: "Apply the plan in a matching working directory, or plan again.",
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
    help: "Wait for the other run to finish. Unlock the state only if you are sure that the lock holder is no longer running.",
  },
  state_unavailable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the state could not be read",
    help: "Check the state backend, then retry. Nothing was changed.",
  },
  state_not_saved: {
    kind: "unavailable",
    when: "the state could not be saved after a change and was written to a local file",
    help: "When the backend is available again, push the file that the run's outcome names. Keep the working directory until then.",
  },
  log_unreadable: {
    kind: "not_found",
    when: "the log of a command is missing or unreadable",
    help: "Read the run's report instead.",
  },
  disk_full: {
    kind: "exhausted",
    retry: "backoff",
    when: "the agent's disk was full during a run",
    help: "Free disk space in the agent's working and temporary directories, then run the command again.",
  },
  unexpected_output: {
    kind: "internal",
    when: "the program succeeded, but its output does not have the expected format",
    help: "Check that the program is a supported version of Terraform or OpenTofu.",
  },
  too_much_output: {
    kind: "exhausted",
    when: "the program printed more output than the limit allows",
    help: "Split the stack, or raise the limit.",
  },
});
