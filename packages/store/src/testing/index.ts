/**
 * A real PostgreSQL server for test suites and benchmarks. Each run has one temporary server, and each test file has a migrated database,
 * cloned from a template. The data is not durable.
 */
export { createTestDatabase, type TestDatabase } from "./test-database.ts";
export { findTestBinaries, startTestPostgres, type TestPostgres, type TestVersion } from "./test-postgres.ts";
