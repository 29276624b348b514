import type { FaultDefinition } from "@cloudwright/platform";
import { deployerFaults } from "../../../faults.ts";

/**
 * Google Cloud's error reasons in Terraform messages. Permanent errors come first, then transient ones. Errors that a new plan resolves, such
 * as a name that already exists, are not listed.
 */
export const gcpErrors: readonly (readonly [FaultDefinition, RegExp])[] = [
  [
    deployerFaults.credentials_refused,
    /\b(invalid_grant|invalid_client|unauthorized_client|UNAUTHENTICATED)\b|Error 401\b|oauth2: cannot fetch token|could not find default credentials|oauth2\/google: status code 4/,
  ],
  // A throttled call also has the status 403, so its reason must be checked first.
  [deployerFaults.throttled, /\b(rateLimitExceeded|userRateLimitExceeded|RATE_LIMIT_EXCEEDED)\b|Error 429\b/],
  [
    deployerFaults.quota_exhausted,
    /\b(quotaExceeded|QUOTA_EXCEEDED|insufficientQuota)\b|Quota '[A-Z0-9_]+' exceeded|Insufficient regional quota/,
  ],
  [
    deployerFaults.cloud_denies,
    /\b(accessNotConfigured|SERVICE_DISABLED|IAM_PERMISSION_DENIED|insufficientPermissions)\b|has not been used in project \S+ before or it is disabled|Error 403\b.*, forbidden|Required '[a-zA-Z.]+' permission/,
  ],
  [
    deployerFaults.version_not_offered,
    /\b(master|node|control plane) version "?[^"]*"? (is unsupported|is not supported|not found)|No valid versions with the prefix/i,
  ],
  [
    deployerFaults.nodes_failed,
    /\b(ZONE_RESOURCE_POOL_EXHAUSTED(_WITH_DETAILS)?|GCE_STOCKOUT|resourcePoolExhausted)\b|does not have enough resources available|only \d+ nodes out of \d+ have registered/i,
  ],
  // IAM is eventually consistent. A new service account or grant takes up to a few minutes to work everywhere.
  [
    deployerFaults.role_not_ready,
    /Service account \S+ does not exist|The user does not have access to service account|Permission 'cloudkms\.cryptoKeyVersions\.useTo(Encrypt|Decrypt)' denied|Cloud KMS error when using key/i,
  ],
];

/** The error reasons that Google Cloud returns when it rejects the deletion of a resource that is in use. */
export const gcpDependencyError =
  /\b(resourceInUseByAnotherResource|RESOURCE_IN_USE_BY_ANOTHER_RESOURCE|resourceNotReady)\b|is already being used by/;
