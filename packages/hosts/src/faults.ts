import { defineFaults } from "@cloudwright/platform";

export const hostsFaults = defineFaults("hosts", {
  not_a_host: {
    kind: "unavailable",
    when: "a machine cannot be a host of the local cloud, because something is missing on it or its agent does not act as a host",
    help: "Install what the message names and restart the agent. `sudo cloud local check` shows all requirements.",
  },
  machine_claimed: {
    kind: "conflict",
    when: "another process on the same machine acts as its host already",
    help: "Run one agent with CLOUDWRIGHT_AGENT_HOSTS per machine. Stop the other one first.",
  },
  other_machine: {
    kind: "denied",
    when: "a task of an account reached another machine than the one that the account is bound to",
    help: "Give each machine an account and an agent label of its own.",
  },
  missing_tool: {
    kind: "unavailable",
    when: "a program that the host needs is not installed",
    help: "On the host, install the package named in the message.",
  },
  tool_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a program on the host failed",
    help: "The message contains the program's error output. If the error persists, run the command manually on the host.",
  },
  tool_timeout: {
    kind: "unavailable",
    retry: "backoff",
    when: "a program on the host did not finish in time and was killed",
    help: "Check the load on the host and its disks, then try again.",
  },
  cancelled: {
    kind: "conflict",
    when: "an operation on the host was cancelled",
    help: "Repeat the operation if it is still needed. The next attempt continues where this one stopped.",
  },
  bad_record: {
    kind: "internal",
    when: "a record of a resource on the host cannot be read, or its id is not valid",
    help: "Restore the file named in the message from a backup, or remove it if the resource no longer exists. If the message names an id, use an id that the message allows.",
  },
  missing_kernel_feature: {
    kind: "unavailable",
    when: "the kernel of the host lacks a feature that the host needs",
    help: "Load the kernel module named in the message, or use a kernel that includes it.",
  },
  bad_network: {
    kind: "invalid",
    when: "the specification of a network on a host is not valid",
    help: "Correct the value named in the message. The message says what is allowed.",
  },
  unknown_network: {
    kind: "not_found",
    when: "a port names a network that does not exist on the host",
    help: "Create the network on the host first.",
  },
  overlapping_network: {
    kind: "conflict",
    when: "the range of a network overlaps the range of another network on the host, or a range that the host itself uses",
    help: "Choose a range that is not in use on any host of the account.",
  },
  network_changed: {
    kind: "conflict",
    when: "a request changes the range of an existing network",
    help: "Keep the range, or delete the network and create it again with the new range.",
  },
  network_in_use: {
    kind: "conflict",
    when: "a network cannot be removed from a host, because instances are connected to it",
    help: "Delete the instances named in the message first.",
  },
  addresses_exhausted: {
    kind: "exhausted",
    when: "every address of a network is in use",
    help: "Delete instances in the network, or create another network with a larger range.",
  },
  address_taken: {
    kind: "conflict",
    when: "an instance requests an address that another instance already uses",
    help: "Choose another address, or omit it to get a free one.",
  },
  name_taken: {
    kind: "conflict",
    when: "an instance requests a host name that another instance in the network already uses",
    help: "Choose another host name.",
  },
  bad_port: {
    kind: "invalid",
    when: "the connection of an instance to a network is not valid",
    help: "Correct the value named in the message. The message says what is allowed.",
  },
  port_changed: {
    kind: "conflict",
    when: "an instance that is connected to a network requests another network or address",
    help: "Detach the instance from its network first.",
  },
  unknown_port: {
    kind: "not_found",
    when: "an instance is not connected to any network on the host, or was detached in the meantime",
    help: "Attach the instance to a network first.",
  },
  bad_rule: {
    kind: "invalid",
    when: "a rule of a security group is not valid",
    help: "Correct the rule named in the message. The message says what is allowed.",
  },
  unknown_group: {
    kind: "not_found",
    when: "an instance names a security group that does not exist on the host",
    help: "Create the security group on the host first.",
  },
  group_in_use: {
    kind: "conflict",
    when: "a security group cannot be removed from a host, because instances use it",
    help: "Remove the group from the instances named in the message first.",
  },
  bad_volume: {
    kind: "invalid",
    when: "a volume or a snapshot on a host is requested with an invalid id or size",
    help: "Correct the id or the size named in the message. The message says what is allowed. Volumes cannot shrink.",
  },
  volume_not_found: {
    kind: "not_found",
    when: "a volume or a snapshot does not exist on the host, is incomplete, or its data is missing",
    help: "Check the id. If the data was lost, restore it from a backup or remove the volume.",
  },
  volume_exists: {
    kind: "conflict",
    when: "a volume or a snapshot with the same id but different properties already exists on the host",
    help: "Use another id, or remove the existing one first.",
  },
  volume_attached: {
    kind: "conflict",
    when: "a volume is attached to an instance, so it can be neither attached to another instance nor removed",
    help: "Detach the volume from the instance named in the message first.",
  },
  volume_in_use: {
    kind: "conflict",
    when: "a volume is mounted or open, so it cannot be detached or copied",
    help: "Unmount the volume and stop the processes named in the message, then try again.",
  },
  volume_locked: {
    kind: "unavailable",
    retry: "backoff",
    when: "another operation on the same volume or snapshot takes too long",
    help: "Wait for the other operation to finish, then try again.",
  },
  no_disk_space: {
    kind: "exhausted",
    when: "the host does not have enough disk space for its instances, volumes and snapshots",
    help: "Remove instances, volumes or snapshots, add disk space, or allow a higher overcommit ratio.",
  },
  device_denied: {
    kind: "denied",
    when: "an instance cannot be given access to a block device",
    help: "Follow the instructions in the message.",
  },
  bad_image: {
    kind: "invalid",
    when: "an image cannot be imported, because its name, archive or layout is not valid",
    help: "Correct the problem named in the message. An image is a root file system (a folder or a tar archive) or an OCI layout.",
  },
  checksum_mismatch: {
    kind: "invalid",
    when: "a file of an image does not have the expected checksum",
    help: "Download the file again, and check that it comes from a trusted source.",
  },
  image_exists: {
    kind: "conflict",
    when: "an image with the same name already exists on the host",
    help: "Choose another name, or remove the existing image first.",
  },
  image_source_denied: {
    kind: "denied",
    when: "an image is to be imported from a path outside the folders that the machine's operator allows",
    help: "Copy the image into one of the folders that the message names, or let the operator add the folder to CLOUDWRIGHT_AGENT_HOST_IMAGE_FOLDERS.",
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
  build_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "an image cannot be built from the packages of its distribution",
    help: "Check that the host reaches the package mirror in /etc/apt. Without a mirror, set CLOUDWRIGHT_AGENT_HOST_IMAGES to an image that was built elsewhere.",
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
    when: "an instance with the same uid already exists with a different specification, or is being removed",
    help: "Delete the instance first, or create it with a new uid.",
  },
  instance_not_found: {
    kind: "not_found",
    when: "an instance does not exist on the host",
    help: "Create the instance first.",
  },
  instance_stopped: {
    kind: "conflict",
    when: "an operation requires a running instance",
    help: "Start the instance first.",
  },
  instance_failed: {
    kind: "unavailable",
    retry: "backoff",
    when: "an instance did not start or stop",
    help: "Read the instance's console output. If the instance did not start, the message contains the last lines of this output.",
  },
  shared_host: {
    kind: "denied",
    when: "a request would make a host run containers of two projects, which the host does not isolate from each other",
    help: "Use another host, or allow shared hosts if the projects trust each other.",
  },
  machine_in_use: {
    kind: "conflict",
    when: "a machine of an inventory is claimed by another instance, possibly of another installation of the platform",
    help: "Release the machine there. If that installation no longer exists, remove the lines between its markers from the user's authorized_keys file.",
  },
  machine_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a command on a machine of an inventory failed",
    help: "The message contains the machine's error output. Check the user's home folder and the free disk space.",
  },
  machine_busy: {
    kind: "unavailable",
    retry: "backoff",
    when: "other programs kept changing the authorized_keys file of a machine while the platform changed it",
    help: "Find out which program changes the file. The platform tries again.",
  },
  machine_untrusted: {
    kind: "denied",
    when: "the SSH host keys of a machine of an inventory have not been confirmed",
    help: "Compare the fingerprints with those on the machine's console, then run `cloud inventory trust NAME HOST`.",
  },
  machine_unclaimed: {
    kind: "conflict",
    when: "an instance refers to a machine that its inventory no longer lists",
    help: "Add the machine to the inventory again, or delete the instance with --force.",
  },
  bmc_unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the management controller of a machine cannot be reached, or it does not answer in time",
    help: "Check the controller's address, and that the agent can connect to it.",
  },
  bmc_untrusted: {
    kind: "denied",
    when: "the certificate of a management controller is not the expected one, or no trusted authority signed it",
    help: "Compare the certificate's SHA-256 fingerprint on the controller and set it in spec.hosts[].bmc.fingerprint, or set spec.hosts[].bmc.ca.",
  },
  bmc_denied: {
    kind: "denied",
    when: "a management controller rejected the user or the password, or the user may not control the power",
    help: "Correct bmc.user and bmcPasswords of the inventory. The user needs the role Operator.",
  },
  bmc_unsupported: {
    kind: "invalid",
    when: "a management controller does not offer what the platform needs, or has several systems and the inventory does not say which one",
    help: "The message lists what the controller offers. Set bmc.system if it has several systems.",
  },
  bmc_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a management controller answered with an error, or with something that is not Redfish",
    help: "The message contains the status and the controller's error. Check its log, and that bmc.address is its Redfish service.",
  },
});
