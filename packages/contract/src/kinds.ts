/** The kinds of entities as plain data. Generic code can use them without loading the protobuf descriptors. */
export * from "./roles.ts";
export { findAccount } from "./kinds/account.ts";
export type { KindName } from "./kinds/all.ts";
export { defaultPodCidr, defaultServiceCidr, isExistingCluster } from "./kinds/cluster.ts";
export type { Kind, KindDeclaration, KindReference, PartField } from "./kinds/kind.ts";
export { defaultNetworkCidr, findNetwork } from "./kinds/network.ts";
export { defaultProject, findProject, projectOf, systemProject } from "./kinds/project.ts";
export * from "./kinds/reference-graph.ts";
export * from "./kinds/registry.ts";
