/** The published library: clusters, node pools and machines in three clouds behind one interface. */
export type * from "./library/call-options.ts";
export type * from "./library/clusters.ts";
export { errorCategories, isCloudFault, type CloudFault, type CloudFaultFacts, type ErrorCategory } from "./library/errors.ts";
export type * from "./library/instances.ts";
export type * from "./library/library.ts";
export type * from "./library/node-pools.ts";
export { createAws, type AwsKeys, type AwsLibraryOptions } from "./aws/create-aws.ts";
export { createGcp, type GcpAccessToken, type GcpLibraryOptions } from "./gcp/create-gcp.ts";
export { createAzure, type AzureAccessToken, type AzureLibraryOptions } from "./azure/create-azure.ts";
