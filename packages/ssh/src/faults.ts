import { defineFaults } from "@cloudwright/platform";

export const sshFaults = defineFaults("ssh", {
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "nothing accepts SSH connections at a machine's address",
    help: "Check that the machine runs, that its SSH server listens on the port, and that firewalls and security groups allow the connection.",
  },
  timeout: {
    kind: "unavailable",
    retry: "backoff",
    when: "a machine did not finish the login or a command in time, so the connection or the command was ended",
    help: "Check the load of the machine and the network between. If the command needs longer, raise its time limit.",
  },
  connection_lost: {
    kind: "unavailable",
    retry: "backoff",
    when: "the connection ended while a command was running, so it is not known whether the command took effect",
    help: "Check whether the machine restarted. Commands of the platform can be repeated safely.",
  },
  no_host_key: {
    kind: "conflict",
    when: "no host key is known for a machine, so its identity cannot be checked",
    help: "Record the machine's host key first. Compare it with the key that the machine's console shows.",
  },
  host_key_changed: {
    kind: "denied",
    when: "a machine presented another host key than the recorded ones; it may be a different machine, or somebody intercepts the connection",
    help: "Find out why the key changed. If the machine was reinstalled on purpose, record the new host key.",
  },
  key_refused: {
    kind: "denied",
    when: "a machine accepted none of the private keys for the user",
    help: "Check the user name, and that the public half is in the user's authorized_keys on the machine.",
  },
  bad_key: {
    kind: "invalid",
    when: "a private key or a host key cannot be read, or a private key has a passphrase",
    help: "Give keys in OpenSSH's format, private keys without a passphrase.",
  },
  bad_argument: {
    kind: "invalid",
    when: "a command has no words, or one of them cannot be passed to a program",
    help: "Remove the NUL character or the incomplete Unicode character from the argument.",
  },
  too_much_output: {
    kind: "exhausted",
    when: "a command wrote so much output that it was ended",
    help: "Find out why the command writes so much, and limit its output.",
  },
  cancelled: {
    kind: "conflict",
    when: "an SSH command or login was cancelled",
    help: "Repeat the operation if it is still needed.",
  },
  busy: {
    kind: "exhausted",
    retry: "backoff",
    when: "a machine refused another session on an existing connection",
    help: "No action is needed. If the error persists, raise MaxSessions in the configuration of the machine's SSH server.",
  },
  bad_answer: {
    kind: "internal",
    when: "a machine's response is not SSH, or client and server have no algorithm in common",
    help: "Check that the port belongs to an SSH server, and that the server supports current algorithms.",
  },
  upload_failed: {
    kind: "internal",
    retry: "backoff",
    when: "a file could not be written on a machine",
    help: "The message contains the machine's error output. Check the folder, its permissions and the free disk space.",
  },
});
