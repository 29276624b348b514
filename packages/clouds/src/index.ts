/**
 * The clouds' own APIs by their official SDKs: whose credentials these are, what an account may and has, what is in it. It refuses to know what
 * is built there: no entity, no task, no Terraform. The SDKs are loaded when they are first needed, never at the start.
 */
export { readAwsAccess, type AwsAccess } from "./aws/access.ts";
export { createAwsApi, type AwsApi, type AwsEndpoints } from "./aws/api.ts";
export { createClusterToken, tokenLifeMs } from "./aws/cluster-token.ts";
export { countObjects } from "./aws/count-objects.ts";
export { startCredentialEndpoint, type CredentialEndpoint } from "./aws/credential-endpoint.ts";
export type { AwsCredentials } from "./aws/aws-credentials.ts";
export { createCredentialSource, type CredentialSource } from "./aws/credentials.ts";
export { verifyAwsAccount, type AwsIdentity } from "./aws/identity.ts";
export { createAwsLeftovers, type AwsLeftovers } from "./aws/leftovers.ts";
export { listOwnedThings, type TaggedThing } from "./aws/owned.ts";
export { listActions, type AwsFeature } from "./aws/permissions/features.ts";
export { createAwsView } from "./aws/real-view.ts";
export { isCredentialRefusal } from "./aws/refusals.ts";
export { ownerTag, type AwsLimits, type AwsView, type Held, type OfferedMachine } from "./aws/view.ts";
export * from "./faults.ts";
export { isCommonMachine } from "./aws/machines.ts";
