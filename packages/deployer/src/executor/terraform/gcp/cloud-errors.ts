import type { FaultDefinition } from "@cloudwright/platform";
import { deployerFaults } from "../../../faults.ts";

/**
 * Matches messages of errors with the status 400 that may disappear without a change to the request. They are about another operation in
 * progress, a resource that is not ready, or a new resource or identity that is not visible everywhere yet.
 */
const transient =
  /\b(failedPrecondition|FAILED_PRECONDITION|resourceNotReady|RESOURCE_NOT_READY|resourceInUse\w*|RESOURCE_IN_USE\w*|\w*OPERATION_RATE_EXCEEDED|operationRateExceeded|backendError|internalError)\b|not (yet )?(ready|active|found|visible)|cannot be found|does not exist(?! in (zone|region|location))|unknown service account|in progress|incompatible operation|is already being used by|being (created|deleted|updated|upgraded|repaired|used)|is currently|(try|retry) (again|later|the)|permission|denied/;

/**
 * Google Cloud's error reasons in Terraform messages. The first match wins. Rejected requests come last, because other errors can have the
 * status 400 too. Errors that a new plan resolves, such as a name that already exists, are not listed.
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
  [
    deployerFaults.request_rejected,
    new RegExp(`(googleapi: Error 400: |rpc error: code = InvalidArgument )(?!.*(${transient.source}))`, "i"),
  ],
];

/** The error reasons that Google Cloud returns when it rejects the deletion of a resource that is in use. */
export const gcpDependencyError =
  /\b(resourceInUseByAnotherResource|RESOURCE_IN_USE_BY_ANOTHER_RESOURCE|resourceNotReady)\b|is already being used by/;
