import { defineFaults } from "@cloudwright/platform";

export const storeFaults = defineFaults("store", {
  limit_reached: {
    kind: "conflict",
    when: "an owner already has the maximum number of entities of this kind, for example a user 500 API keys",
    help: "Delete entities of this kind that are no longer used, for example with `cloud apikey delete`.",
  },
  exists: {
    kind: "conflict",
    when: "an entity of this kind with this name already exists",
    help: "Choose another name, or update the existing entity.",
  },
  imported: {
    kind: "conflict",
    when: "an entity already represents this cluster, which the platform did not create",
    help: "Use the entity that represents the cluster. `cloud k8s discover` shows its name.",
  },
  stale: {
    kind: "conflict",
    when: "the entity was changed after the resourceVersion in the request was read",
    help: "Read the entity again, apply the change to its current version, and send its current resourceVersion.",
  },
  parent_gone: {
    kind: "conflict",
    when: "the new entity's parent was deleted or is being deleted",
    help: "Create the parent first, or choose another parent.",
  },
  in_use: {
    kind: "conflict",
    when: "other entities refer to the entity to be deleted",
    help: "Delete or move the entities that the message names first, or request a cascade.",
  },
  key_reused: {
    kind: "conflict",
    when: "an Idempotency-Key was reused for a different request",
    help: "Use a new Idempotency-Key for each different request.",
  },
  watch_expired: {
    kind: "gone",
    when: "a watch request resumes from a position that was pruned from the change log or never existed in it",
    help: "List again and watch from the resourceVersion of that list.",
  },
  bad_position: {
    kind: "invalid",
    when: "a watch request resumes from a value that is not a resourceVersion",
    help: "Send the resourceVersion of a list, an event or an entity.",
  },
  simulated_cluster_taken: {
    kind: "conflict",
    when: "the id of a simulated cluster, which is derived from its account, region and name, already belongs to another cluster",
    help: "Choose another name for the cluster.",
  },
  simulated_clusters_full: {
    kind: "exhausted",
    when: "a simulated account has 200 requested clusters that do not exist yet",
    help: "Wait until the requested clusters exist. A requested cluster that is not created is removed an hour after the last request for it.",
  },
  database_unavailable: {
    kind: "unavailable",
    retry: "backoff",
    when: "PostgreSQL is unreachable, starting or shutting down",
    help: "Try again. If the problem persists, look at the database's own log.",
  },
  database_newer: {
    kind: "internal",
    when: "the database was migrated by a newer release than the one that is starting",
    help: "Start the newer release, or restore a backup from before the migration.",
  },
  database_too_old: {
    kind: "internal",
    when: "the PostgreSQL server that DATABASE_URL names is older than version 15",
    help: "Point DATABASE_URL at PostgreSQL 15 or newer.",
  },
  migration_edited: {
    kind: "internal",
    when: "a migration that has already run differs from the one in this release",
    help: "Use an unmodified release. Migrations are never edited once released.",
  },
  key_missing: {
    kind: "internal",
    when: "a secret was encrypted with a key that is not in the key ring, or the key file is missing although the database contains secrets",
    help: "Copy the key file of a working replica into the home directory, or set CLOUDWRIGHT_ENCRYPTION_KEYS. The message names the missing key or file.",
  },
  bad_key_ring: {
    kind: "invalid",
    when: "the key file or CLOUDWRIGHT_ENCRYPTION_KEYS cannot be read",
    help: "Write each key as `id:base64 of 32 bytes`, separated by commas or line breaks, and put the key that encrypts new data first.",
  },
});
