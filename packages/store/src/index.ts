/**
 * Desired and observed state in PostgreSQL: migrations, statements, the change log, secrets at rest, and the embedded server.
 * It knows how things are kept, not what they mean: who may write what is decided above it.
 */
export * from "./embedded/index.ts";
export * from "./faults.ts";
export * from "./feed.ts";
export * from "./key-ring.ts";
export * from "./label-selector.ts";
export * from "./migrate.ts";
export * from "./pool.ts";
export * from "./rewrap-secrets.ts";
export * from "./seal.ts";
export * from "./signal.ts";
export * from "./statements/count-members.ts";
export * from "./statements/due.ts";
export * from "./statements/find-agent.ts";
export * from "./statements/find-caller.ts";
export * from "./statements/find-entity.ts";
export * from "./statements/find-idempotent.ts";
export * from "./statements/find-references.ts";
export * from "./statements/find-subtree.ts";
export * from "./statements/has-other-children.ts";
export * from "./statements/has-platform-owner.ts";
export * from "./statements/insert-audit.ts";
export * from "./statements/insert-entity.ts";
export * from "./statements/join-tokens.ts";
export * from "./statements/list-entities.ts";
export * from "./statements/list-open-operations.ts";
export * from "./statements/list-entity-events.ts";
export * from "./statements/list-records.ts";
export * from "./statements/list-worked-on.ts";
export * from "./statements/lock-entities.ts";
export * from "./statements/mend-change-log.ts";
export * from "./statements/prune.ts";
export * from "./statements/read-changes.ts";
export * from "./statements/remove-entities.ts";
export * from "./statements/scan-entities.ts";
export * from "./statements/sessions.ts";
export * from "./statements/tokens.ts";
export * from "./statements/update-entities.ts";
export * from "./statements/update-entity.ts";
export * from "./statements/wake-entities.ts";
export * from "./trace.ts";
export * from "./try-transaction.ts";
export * from "./versions.ts";
export * from "./work.ts";
