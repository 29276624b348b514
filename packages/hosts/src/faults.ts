import { defineFaults } from "@cloudwright/platform";

export const hostsFaults = defineFaults("hosts", {
  missing_tool: {
    kind: "unavailable",
    when: "a program that the host needs is not installed",
    help: "Install the package named in the message on the host.",
  },
  tool_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a program on the host failed",
    help: "The message contains the program's own error. If it persists, run the command by hand on the host.",
  },
  tool_timeout: {
    kind: "unavailable",
    retry: "backoff",
    when: "a program on the host did not end in time and was killed",
    help: "Check the load of the host and its disks.",
  },
  cancelled: {
    kind: "conflict",
    when: "work on the host was stopped on request",
    help: "Run it again if it is still needed. The next attempt continues with what exists.",
  },
  bad_record: {
    kind: "internal",
    when: "a file in which the host records its own resources cannot be read",
    help: "Restore the file named in the message from a backup, or remove it if the resource no longer exists.",
  },
});
