/**
 * A real PostgreSQL for suites: one temporary server per run, and one migrated database per file, cloned from a template. Only for tests
 * and benchmarks; nothing in it is durable.
 */
export { createTestDatabase, type TestDatabase } from "./test-database.ts";
export { findTestBinaries, startTestPostgres, type TestPostgres, type TestVersion } from "./test-postgres.ts";
