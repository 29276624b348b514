import { defineFaults } from "@cloudwright/platform";

export const storeFaults = defineFaults("store", {
  exists: {
    kind: "conflict",
    when: "an entity of this kind and name exists already",
    help: "Choose another name, or update the existing entity.",
  },
  stale: {
    kind: "conflict",
    when: "the entity was changed since the resourceVersion in the request was read",
    help: "Read the entity again, apply the change to what it is now, and send its current resourceVersion.",
  },
  parent_gone: {
    kind: "conflict",
    when: "the entity that the new one should go below was deleted meanwhile or is being deleted",
    help: "Create the parent first, or name another one.",
  },
  in_use: {
    kind: "conflict",
    when: "other entities refer to the one to be deleted",
    help: "Delete or move what the message names first, or ask for a cascade.",
  },
  key_reused: {
    kind: "conflict",
    when: "an Idempotency-Key came again with another request",
    help: "Use a fresh Idempotency-Key for each different request.",
  },
  watch_expired: {
    kind: "gone",
    when: "a watch asks to resume from a position that has been pruned from the change log, or that this log never had",
    help: "List again and watch from the resourceVersion of that list.",
  },
  bad_position: {
    kind: "invalid",
    when: "a watch asks to resume from something that is no resourceVersion",
    help: "Send the resourceVersion of a list, an event or an entity.",
  },
  database_unavailable: {
    kind: "unavailable",
    retry: "backoff",
    when: "PostgreSQL cannot be reached or is starting or shutting down",
    help: "Try again; if it lasts, look at the database's own log.",
  },
  database_newer: {
    kind: "internal",
    when: "the database was migrated by a newer release than the one that is starting",
    help: "Start the newer release, or restore a backup from before the migration.",
  },
  database_too_old: {
    kind: "internal",
    when: "the PostgreSQL server that DATABASE_URL names is older than 15",
    help: "Point DATABASE_URL at PostgreSQL 15 or newer.",
  },
  migration_edited: {
    kind: "internal",
    when: "a migration that has run differs from the one in this release",
    help: "Use an unmodified release; migrations are never edited once released.",
  },
  key_missing: {
    kind: "internal",
    when: "a secret was encrypted with a key that is not in the key ring",
    help: "Put the key with the id in the message back into the key file or CLOUDWRIGHT_ENCRYPTION_KEYS.",
  },
  bad_key_ring: {
    kind: "invalid",
    when: "the key file or CLOUDWRIGHT_ENCRYPTION_KEYS cannot be read",
    help: "Each key is `id:base64 of 32 bytes`, separated by commas or lines, the one to encrypt with first.",
  },
});
