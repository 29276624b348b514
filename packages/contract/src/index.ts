/**
 * The nouns and the wire: proto files are the one truth, and types, gRPC, REST, OpenAPI, validation and command-line flags
 * are read from them. This room holds no state, calls nobody and knows neither database nor network.
 */
export * from "./checks.ts";
export * from "./cidr.ts";
export * from "./clouds/index.ts";
export * from "./entities.ts";
export * from "./kinds.ts";
export * from "./kubernetes-version.ts";
export * from "./new-operation.ts";
export { renderOpenApi, renderReferencePage } from "./openapi.ts";
export * from "./methods.ts";
export * from "./validate.ts";
