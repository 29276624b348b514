/**
 * Entities and wire format. The types, gRPC and REST APIs, OpenAPI document, validation and command-line flags are derived from the proto
 * files. This package is stateless and does not use the database or the network.
 */
export { readBmcPasswords } from "./kinds/check-inventory.ts";
export * from "./cidr.ts";
export * from "./clouds/index.ts";
export * from "./entities.ts";
export * from "./kinds.ts";
export { isPlainGatePath } from "./kinds/check-upgrade-gates.ts";
export * from "./kubernetes-version.ts";
export * from "./new-operation.ts";
export { renderOpenApi, renderReferencePage } from "./openapi.ts";
export * from "./methods.ts";
export * from "./services.ts";
export * from "./state-backends.ts";
export * from "./tasks/read-task-payload.ts";
export * from "./tasks/render-task-payload.ts";
export * from "./tasks/task-types.ts";
export * from "./tasks/work-outcome.ts";
export * from "./validate.ts";
