/**
 * A real PostgreSQL for those who bring none: found, initialised, started, adopted, revived and stopped here.
 * It knows processes and files, nothing of what the product keeps in the database.
 */
export { startEmbeddedPostgres, type EmbeddedPostgres } from "./embedded-postgres.ts";
export { embeddedFaults } from "./faults.ts";
