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
  bad_image: {
    kind: "invalid",
    when: "an image cannot be imported, because its name, archive or layout is not valid",
    help: "Correct what the message names. Images are root file systems (a folder or a tar archive) or OCI layouts.",
  },
  checksum_mismatch: {
    kind: "invalid",
    when: "a file of an image does not have the expected checksum",
    help: "Download the file again and check where it comes from.",
  },
  image_exists: {
    kind: "conflict",
    when: "another image has the same name",
    help: "Choose another name, or remove the existing image first.",
  },
  image_not_found: {
    kind: "not_found",
    when: "an image does not exist on the host",
    help: "Import or build the image first. The message lists the images of the host.",
  },
  image_in_use: {
    kind: "conflict",
    when: "an image cannot be removed, because instances use it",
    help: "Delete the instances named in the message first.",
  },
  no_mirror: {
    kind: "unavailable",
    when: "the host has no package source for a distribution",
    help: "Add the distribution to the host's apt sources, or import an image that was built elsewhere.",
  },
  bad_instance: {
    kind: "invalid",
    when: "an instance's specification is not valid",
    help: "Correct the fields named in the message.",
  },
  instance_exists: {
    kind: "conflict",
    when: "an instance with the same uid and another specification exists",
    help: "Delete the instance first, or create it with a new uid.",
  },
  instance_not_found: {
    kind: "not_found",
    when: "an instance does not exist on the host",
    help: "Create the instance first.",
  },
  instance_stopped: {
    kind: "conflict",
    when: "an operation needs a running instance",
    help: "Start the instance first.",
  },
  instance_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "an instance did not start or stop",
    help: "Read the instance's console. The message contains its last lines.",
  },
  shared_host: {
    kind: "denied",
    when: "a host would run container instances of two projects, which it does not isolate from each other",
    help: "Use another host, use virtual machines, or allow sharing if the projects trust each other.",
  },
});
