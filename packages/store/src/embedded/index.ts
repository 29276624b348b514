/**
 * An embedded PostgreSQL server for installations without a database server of their own. This package finds, initialises, starts, adopts,
 * restarts and stops the server. The package knows about processes and files, but must not know what the product stores in the database.
 */
export { startEmbeddedPostgres, type EmbeddedPostgres } from "./embedded-postgres.ts";
export { embeddedFaults } from "./faults.ts";
