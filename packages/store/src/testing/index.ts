/**
 * Real PostgreSQL for suites: a throw-away server per run and a migrated database per file, cloned from a template.
 * Only for tests and benchmarks; it keeps nothing safe.
 */
export { createTestDatabase, type TestDatabase } from "./test-database.ts";
export { findTestBinaries, startTestPostgres, type TestPostgres, type TestVersion } from "./test-postgres.ts";
