/**
 * Runs Terraform and OpenTofu: finds and downloads the executables, runs commands in a working directory, and parses their output. It must
 * not know what is being built: no entities, no clouds, no tasks.
 */
export * from "./binaries/binary.ts";
export * from "./binaries/create-binaries.ts";
export { openDownload } from "./binaries/release-source.ts";
export { describePlatform } from "./binaries/releases.ts";
export * from "./binaries/version.ts";
export * from "./driver/backends/azurerm.ts";
export type { Backend } from "./driver/backends/backend.ts";
export * from "./driver/backends/create-backend.ts";
export * from "./driver/backends/gcs.ts";
export * from "./driver/backends/http.ts";
export * from "./driver/backends/pg.ts";
export * from "./driver/backends/s3.ts";
export * from "./driver/backends/secret-variables.ts";
export * from "./driver/cli-config.ts";
export * from "./driver/command-report.ts";
export type { ApplyResult } from "./driver/commands/apply.ts";
export type { SavedPlan } from "./driver/commands/plan.ts";
export { listUnconfiguredImports, type ResourceImport } from "./driver/import-files.ts";
export * from "./driver/open-terraform.ts";
export * from "./driver/read-run-log.ts";
export * from "./driver/spawn.ts";
export * from "./events/diagnostic.ts";
export * from "./events/event.ts";
export { doExclusively } from "./exclusive.ts";
export * from "./faults.ts";
export * from "./overrides/check-overrides.ts";
export * from "./overrides/ignore-rules.ts";
export * from "./overrides/override-problem.ts";
export * from "./overrides/read-resources.ts";
export * from "./reading/changed-paths.ts";
export type { ResourceDependency } from "./reading/dependencies.ts";
export * from "./reading/outputs.ts";
export * from "./reading/plan.ts";
export type { ResourceSchemas } from "./reading/schemas.ts";
export * from "./reading/shown-state.ts";
export * from "./reading/state.ts";
