import { defineFaults } from "@cloudwright/platform";

/** Faults of requests for SSH keys. */
export const sshKeyFaults = defineFaults("api", {
  key_not_replaceable: {
    kind: "conflict",
    when: "an SSH key cannot be replaced on all instances that refer to it",
    help: "Create another SSH key, and instances that use it.",
  },
  no_private_key: {
    kind: "not_found",
    when: "a request needs the private half of an SSH key of which the platform stores only the public half",
    help: "Use your own copy of the private key, or let the platform store it: `cloud sshkey update NAME --private-key FILE`.",
  },
});
